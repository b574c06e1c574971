import type { EventBody, ToolContent } from "./events.ts";
import { isToolEnded } from "./turn-view.ts";

const MIB = 1024 * 1024;

/** What an agent may add to the log in one turn, and between two turns, in bytes. */
export type OutputLimits = {
  readonly turnBytes: number;
  /** Of that everything but the answer's text: so much less than the whole that an answer finds room behind any tool. */
  readonly besideTextBytes: number;
  /** Content of one tool call; half of it is kept for the update that ends the call. */
  readonly toolBytes: number;
};

export const OUTPUT_LIMITS: OutputLimits = {
  turnBytes: 64 * MIB,
  besideTextBytes: 48 * MIB,
  toolBytes: 256 * 1024,
};

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
  "content",
  "unknown-update",
]);

export function isOutput(event: EventBody): boolean {
  return outputKinds.has(event.kind);
}

type ToolEvent = Extract<EventBody, { kind: "tool-start" | "tool-update" }>;

/** Keeps an agent that floods from filling the disk: of each turn the log gets so much, and a note that says so. */
export class OutputCap {
  readonly #limits: OutputLimits;
  #turn: string | undefined;
  #bytes = 0;
  #besideTextBytes = 0;
  /** What is no longer kept, once a note has said so. */
  #dropped: "nothing" | "all but text" | "all" = "nothing";
  /** Bytes of content that were kept of each tool call. */
  readonly #tools = new Map<string, number>();

  constructor(limits: OutputLimits = OUTPUT_LIMITS) {
    this.#limits = limits;
  }

  /** What is to be recorded for an event of an agent: itself, perhaps cut; once a note in its place, then nothing. */
  admit(event: EventBody, turn: string | undefined): EventBody | undefined {
    if (turn !== this.#turn) this.#begin(turn);
    const isText = event.kind === "text";
    if (this.#dropped === "all" || (this.#dropped === "all but text" && !isText)) return undefined;
    const { turnBytes, besideTextBytes } = this.#limits;
    const kept = isTool(event) ? this.#cutTool(event) : event;
    const bytes = measure(kept);
    if (this.#bytes + bytes > turnBytes) {
      this.#dropped = "all";
      return note(`The agent wrote more than ${mib(turnBytes)} in one turn; the rest is not kept.`);
    }
    if (!isText && this.#besideTextBytes + bytes > besideTextBytes) {
      this.#dropped = "all but text";
      return note(
        `The agent's tools and thoughts made more than ${mib(besideTextBytes)} in one turn; from here on only its answer is kept.`,
      );
    }
    this.#bytes += bytes;
    if (!isText) this.#besideTextBytes += bytes;
    return kept;
  }

  #begin(turn: string | undefined): void {
    this.#turn = turn;
    this.#bytes = 0;
    this.#besideTextBytes = 0;
    this.#dropped = "nothing";
    this.#tools.clear();
  }

  /** Each update brings a call's content anew: what comes in between may take only half, so that the last one has room. */
  #cutTool(event: ToolEvent): ToolEvent {
    if (!event.content || event.content.length === 0) return event;
    const { toolBytes } = this.#limits;
    const used = this.#tools.get(event.id) ?? 0;
    const isLast = event.status !== undefined && isToolEnded(event.status);
    const room = (isLast ? toolBytes : toolBytes / 2) - used;
    if (room <= 0) return withoutContent(event);
    const content = cutContent(event.content, room);
    this.#tools.set(
      event.id,
      content === event.content ? used + measureContent(content) : used + room,
    );
    return { ...event, content };
  }
}

function isTool(event: EventBody): event is ToolEvent {
  return event.kind === "tool-start" || event.kind === "tool-update";
}

/** What was shown of the call so far stays: its last part says that it was cut. */
function withoutContent(event: ToolEvent): ToolEvent {
  if (event.kind === "tool-start") return { ...event, content: [] };
  const { content: _, ...rest } = event;
  return rest;
}

/** The parts that fit, the last text cut, and a mark; the very list when all of it fits. */
function cutContent(content: readonly ToolContent[], maxBytes: number): readonly ToolContent[] {
  const kept: ToolContent[] = [];
  let room = maxBytes;
  for (const part of content) {
    const bytes = measureContent([part]);
    if (bytes > room) {
      if (part.kind === "text") kept.push({ kind: "text", text: cutText(part.text, room) });
      return [...kept, { kind: "text", text: "(The rest of this output is not kept.)" }];
    }
    room -= bytes;
    kept.push(part);
  }
  return content;
}

function cutText(text: string, maxBytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);
}

function measureContent(content: readonly ToolContent[]): number {
  return content.reduce((sum, part) => {
    if (part.kind === "terminal") return sum;
    const texts =
      part.kind === "text" ? [part.text] : [part.path, part.oldText ?? "", part.newText];
    return sum + texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  }, 0);
}

function note(text: string): EventBody {
  return { kind: "notice", level: "warning", text };
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}

/** About how many bytes an event takes in the log. */
export function measure(event: EventBody): number {
  // The common case without making JSON of it; the rest of such an event is smaller than this.
  if (event.kind === "text" || event.kind === "thought") return Buffer.byteLength(event.text) + 128;
  return Buffer.byteLength(JSON.stringify(event));
}
