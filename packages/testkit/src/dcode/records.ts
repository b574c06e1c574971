import {
  type DcodeEvent,
  type EventPayload,
  formatEvent,
  parseEvent,
} from "@acp-kit/dcode-protocol";

/** What a resumed session does not take over. */
const notCarried = new Set(["session.created", "tool.approval_required", "session.resumed"]);

/**
 * The record files of a daemon, which outlive it: the lines of each session, without the events that it
 * carried over from another one. A name that was given to a live session of 0.20 is a line under a seq
 * that the log uses too.
 */
export class Records {
  readonly #lines = new Map<string, string[]>();

  has(session: string): boolean {
    return this.#lines.has(session);
  }

  /** The file's text, empty when there is none. */
  text(session: string): string {
    return (this.#lines.get(session) ?? []).map((line) => `${line}\n`).join("");
  }

  append(event: DcodeEvent): void {
    const lines = this.#lines.get(event.session_id) ?? [];
    lines.push(formatEvent(event));
    this.#lines.set(event.session_id, lines);
  }

  /** What a session that continues this one begins with, oldest first, that one's own source included. */
  history(session: string): readonly DcodeEvent[] {
    const events = this.#events(session);
    const resumed = events.find((event) => event.type === "session.resumed");
    const source = (resumed?.payload as EventPayload<"session.resumed"> | undefined)?.source_id;
    return [
      ...(source === undefined ? [] : this.history(source)),
      ...events.filter((event) => !notCarried.has(event.type)),
    ];
  }

  lastSeq(session: string): number {
    return this.#events(session).reduce((last, event) => Math.max(last, event.seq), 0);
  }

  #events(session: string): readonly DcodeEvent[] {
    return (this.#lines.get(session) ?? []).map(parseEvent);
  }
}
