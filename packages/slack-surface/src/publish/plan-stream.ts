import {
  cardsToReopen,
  cardsToRest,
  changedCards,
  type ShownCards,
  type TaskCard,
} from "./cards.ts";
import { closingAt, cutMarkdown, reopeningAt } from "./cut-markdown.ts";
import { decidedTo } from "./defuse.ts";
import { type FindEmphasis, openFrom } from "./emphasis.ts";
import { contextAt } from "./markdown-context.ts";
import type { OpenStream, Publication, PublishedState } from "./publication.ts";

/**
 * Slack takes 12,000 code points at once and 50 blocks, and ends a stream after 5 minutes: it is ended before, and another
 * begun.
 */
export const STREAM_LIMITS = {
  maxCodePoints: 11_000,
  maxBlocks: 45,
  maxAgeMs: 240_000,
  /** Without new text for so long, while tools run, it is ended as well. */
  restAfterMs: 60_000,
  /** A start that Slack's limits hold up for longer is given up: posts show the same, and at once. */
  startWithinMs: 2_000,
  /** Emphasis that has not ended is told only when it is longer than this, in UTF-16 units. */
  maxHeldUnits: 2_000,
} as const;

export type StreamStep =
  | { readonly kind: "start"; readonly from: number }
  | {
      readonly kind: "append";
      readonly chunk: string;
      readonly to: number;
      readonly isClosed?: true;
    }
  | { readonly kind: "cards"; readonly cards: readonly TaskCard[]; readonly isClosed?: true }
  | { readonly kind: "stop" };

export type StreamSituation = {
  readonly isFinal: boolean;
  /** It ends as soon as may be, though the text may go on. */
  readonly isDue: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cards of the open stream. */
  readonly shown: ShownCards;
  /** Cards of the streams before it. */
  readonly before: ReadonlySet<string>;
  readonly find: FindEmphasis;
};

/** The next step towards showing all of a text in streams; nothing when it is shown as far as it may be yet. Pure. */
export function planStream(
  { sealed, stream }: PublishedState,
  { text, cards: all = [], isResting = false }: Publication,
  { isFinal, isDue, now, shown, before, find }: StreamSituation,
): StreamStep | undefined {
  const isIdle = stream !== undefined && now >= stream.touchedAt + STREAM_LIMITS.restAfterMs;
  const message = stream?.from ?? sealed.at(-1)?.to ?? 0;
  const readableTo = (from: number) => {
    if (isFinal) return text.length;
    return Math.max(from, isResting || isIdle ? decidedEnd(text) : heldFrom(text, message, find));
  };
  if (!stream) {
    // Once a stream has ended, only text begins another: a tool may run for hours.
    const hasNews =
      /\S/.test(text.slice(message, readableTo(message))) ||
      (sealed.length === 0 && all.length > 0);
    return hasNews ? { kind: "start", from: message } : undefined;
  }
  const piece = cutMarkdown(text, stream.from, STREAM_LIMITS.maxCodePoints, find);
  const isFull = piece.to < text.length;
  const to = isFull ? piece.to : readableTo(stream.to);
  if (to > stream.to && !stream.isClosed) {
    const isFirst = stream.to === stream.from;
    const head = isFirst ? reopeningAt(text, stream.from, find) : "";
    const closer = isFull ? closingAt(text, to, find) : "";
    const chunk = head + text.slice(stream.to, to) + closer;
    return { kind: "append", chunk, to, ...(closer !== "" && { isClosed: true }) };
  }
  const room = STREAM_LIMITS.maxBlocks - (stream.blocks ?? 0);
  const changed = changedCards(shown, cardsToReopen(before, all));
  if (changed.length > 0 && room > 0 && !stream.isClosed) {
    return { kind: "cards", cards: changed.slice(0, room) };
  }
  const goesOn = !isFull && !isFinal && !isDue && room > 0;
  return goesOn && now < restsAt(stream) ? undefined : planEnd(stream, text, shown, find);
}

/** What is open is closed, and what runs is put to rest, before it ends. */
function planEnd(
  stream: OpenStream,
  text: string,
  shown: ShownCards,
  find: FindEmphasis,
): StreamStep {
  const closer = stream.to === stream.from ? "" : closingAt(text, stream.to, find);
  if (closer !== "" && !stream.isClosed) {
    return { kind: "append", chunk: closer, to: stream.to, isClosed: true };
  }
  const running = cardsToRest(shown);
  return running.length > 0 ? { kind: "cards", cards: running, isClosed: true } : { kind: "stop" };
}

/** From when on a stream is to be ended, if nothing comes. */
export function restsAt({ startedAt, touchedAt }: OpenStream): number {
  const { maxAgeMs, restAfterMs } = STREAM_LIMITS;
  return Math.min(startedAt + maxAgeMs, touchedAt + restAfterMs);
}

/** Without an end that may yet become a fence or a token: what has been appended cannot be taken back. */
function decidedEnd(text: string): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  return FENCE_START.test(text.slice(lineStart)) ? lineStart : decidedTo(text);
}

/** Marks of blocks alone, of which nothing would be to be seen. */
const LINE_START = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})[ \t]+)?$/;

const FENCE_START = /^[\s>]*[`~]/;

/**
 * Nor with emphasis, a table's row or what may be its head that have not ended: should the platform end the stream there,
 * their marks would be letters.
 */
function heldFrom(text: string, message: number, find: FindEmphasis): number {
  const at = Math.min(decidedEnd(text), rowFrom(text));
  const open = openFrom(text, { message, from: at - STREAM_LIMITS.maxHeldUnits, at }, find);
  const line = text.lastIndexOf("\n", open - 1) + 1;
  return LINE_START.test(text.slice(line, open)) ? line : open;
}

/** Where the last line begins if it is a row, or may be one once the next has come; else the text's length. */
function rowFrom(text: string): number {
  const last = text.lastIndexOf("\n") + 1;
  const { kind } = contextAt(text, last);
  if (kind === "table") return last;
  const isRule = last > 0 && /^[ \t|:-]*$/.test(text.slice(last));
  const head = isRule ? text.lastIndexOf("\n", last - 2) + 1 : last;
  return kind === "plain" && text.includes("|", head) ? head : text.length;
}
