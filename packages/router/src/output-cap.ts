import type { EventBody } from "./events.ts";

/** What an agent may add to the log in one turn, and between two turns, in bytes. */
export const MAX_TURN_BYTES = 64 * 1024 * 1024;

/** Kinds of events that only agents' updates make. */
const outputKinds: ReadonlySet<EventBody["kind"]> = new Set([
  "text",
  "thought",
  "tool-start",
  "tool-update",
  "plan",
  "status",
  "usage",
  "commands",
  "config",
  "title",
  "file",
  "unknown-update",
]);

export function isOutput(event: EventBody): boolean {
  return outputKinds.has(event.kind);
}

/** Keeps an agent that floods from filling the disk: of each turn the log gets so much, and a note that says so. */
export class OutputCap {
  readonly #maxBytes: number;
  #turn: string | undefined;
  #bytes = 0;
  #full = false;

  constructor(maxBytes: number = MAX_TURN_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** What is to be recorded for an event of an agent: itself, once a note in its place, then nothing. */
  admit(event: EventBody, turn: string | undefined): EventBody | undefined {
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#bytes = 0;
      this.#full = false;
    }
    if (this.#full) return undefined;
    this.#bytes += measure(event);
    if (this.#bytes <= this.#maxBytes) return event;
    this.#full = true;
    const mib = Math.round(this.#maxBytes / (1024 * 1024));
    const text = `The agent wrote more than ${mib} MiB in one turn; the rest of its output is not kept.`;
    return { kind: "notice", level: "warning", text };
  }
}

/** About how many bytes an event takes in the log. */
export function measure(event: EventBody): number {
  // The common case without making JSON of it; the rest of such an event is smaller than this.
  if (event.kind === "text" || event.kind === "thought") return Buffer.byteLength(event.text) + 128;
  return Buffer.byteLength(JSON.stringify(event));
}
