import type { LogEvent, SentFile } from "@acp-kit/router";
import type { Presentation } from "./presentation.ts";
import { type Reader, reduceReader } from "./reader.ts";
import type { Upload } from "./uploads.ts";

/** Poe shows so many files per message. */
const MAX_FILES = 20;

/**
 * Lets events into a presentation. A file is uploaded first and shown in its place; what comes behind it in this response
 * waits for that, while the agent, its log and everybody else's responses go on.
 */
export class FileGate {
  readonly #view: Presentation;
  readonly #upload: (file: SentFile) => Promise<Upload | symbol>;
  /** Held back from the first file on, until all that was there when the reading began is known. */
  #held: LogEvent[] = [];
  #shown = 0;

  /** @param upload - Uploads while the response goes on with what is due; a symbol when there is a reason to leave. */
  constructor(view: Presentation, upload: (file: SentFile) => Promise<Upload | symbol>) {
    this.#view = view;
    this.#upload = upload;
  }

  /** False when there is a reason to leave. */
  async show(events: readonly LogEvent[]): Promise<boolean> {
    const view = this.#view;
    if (this.#held.length === 0 && !events.some(({ kind }) => kind === "file")) {
      view.fold(events);
      return true;
    }
    this.#held.push(...events);
    const isBehind = (this.#held.at(-1)?.seq ?? 0) < view.reader.backlog;
    return isBehind ? true : this.end();
  }

  /** Lets everything in that is held back. False when there is a reason to leave. */
  async end(): Promise<boolean> {
    const view = this.#view;
    const events = this.#held;
    this.#held = [];
    const last = events.reduce(reduceReader, view.reader);
    let folded = 0;
    for (const [at, event] of events.entries()) {
      if (event.kind !== "file" || !isShown(view.reader, last, event)) continue;
      view.fold(events.slice(folded, at));
      folded = at + 1;
      const goesOn = await this.#showFile(event);
      if (!goesOn) return false;
      if (view.isFull) return true;
    }
    view.fold(events.slice(folded));
    return true;
  }

  async #showFile(event: LogEvent & { kind: "file" }): Promise<boolean> {
    const view = this.#view;
    if (this.#shown === MAX_FILES) {
      view.fill();
      return true;
    }
    // What stands before it need not wait.
    await view.flush();
    if (view.isFull) return true;
    const uploaded = await this.#upload(event);
    if (typeof uploaded === "symbol") return false;
    if (uploaded.kind === "failed") {
      const { seq, at, turn } = event;
      const place = turn === undefined ? { seq, at } : { seq, at, turn };
      view.fold([{ ...place, kind: "notice", level: "warning", text: uploaded.text }]);
    } else {
      this.#shown += 1;
      await view.showFile(event, uploaded.file);
    }
    return true;
  }
}

/** Whether a response that has read up to `before` shows this event, and still does once it has read up to `last`. */
function isShown(before: Reader, last: Reader, event: LogEvent): boolean {
  const isOwn = event.turn !== undefined && before.own.includes(event.turn);
  if (event.seq <= before.seq || event.seq <= (isOwn ? before.after : before.othersAfter)) {
    return false;
  }
  const section = last.sections.find(({ view }) => view.turn === (event.turn ?? ""));
  return section !== undefined && !section.hidden;
}
