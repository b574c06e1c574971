import {
  cardsToReopen,
  cardsToRest,
  changedCards,
  type ShownCards,
  type TaskCard,
} from "./cards.ts";
import { contextBehind, cutMarkdown } from "./cut-markdown.ts";
import { decidedTo } from "./defuse.ts";
import { closing, contextAt, plainContext, reopening } from "./markdown-context.ts";
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
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cards of the open stream. */
  readonly shown: ShownCards;
  /** Cards of the streams before it. */
  readonly before: ReadonlySet<string>;
};

/** The next step towards showing all of a text in streams; nothing when it is shown as far as it may be yet. Pure. */
export function planStream(
  { sealed, stream }: PublishedState,
  { text, cards: all = [] }: Publication,
  { isFinal, now, shown, before }: StreamSituation,
): StreamStep | undefined {
  if (!stream) {
    const from = sealed.at(-1)?.to ?? 0;
    // Once a stream has ended, only text begins another: a tool may run for hours.
    const hasNews =
      readableTo(text, from, isFinal) > from || (sealed.length === 0 && all.length > 0);
    return hasNews ? { kind: "start", from } : undefined;
  }
  const piece = cutMarkdown(text, stream.from, STREAM_LIMITS.maxCodePoints);
  const isFull = piece.to < text.length;
  const to = isFull ? piece.to : readableTo(text, stream.to, isFinal);
  if (to > stream.to && !stream.isClosed) {
    const isFirst = stream.to === stream.from;
    const head = isFirst ? reopening(contextAt(text, stream.from)) : "";
    return { kind: "append", chunk: head + text.slice(stream.to, to), to };
  }
  const room = STREAM_LIMITS.maxBlocks - (stream.blocks ?? 0);
  const changed = changedCards(shown, cardsToReopen(before, all));
  if (changed.length > 0 && room > 0 && !stream.isClosed) {
    return { kind: "cards", cards: changed.slice(0, room) };
  }
  if (!isFull && !isFinal && room > 0 && now < restsAt(stream)) return undefined;
  return planEnd(stream, text, shown);
}

/** What is open is closed, and what runs is put to rest, before it ends. */
function planEnd(stream: OpenStream, text: string, shown: ShownCards): StreamStep {
  const told = text.slice(0, stream.to);
  const closer =
    stream.to === stream.from
      ? ""
      : closing(contextBehind(plainContext, told), told.endsWith("\n"));
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
function readableTo(text: string, from: number, isFinal: boolean): number {
  if (isFinal) return text.length;
  const lineStart = Math.max(from, text.lastIndexOf("\n") + 1);
  const isFence = /^[\s>]*[`~]/.test(text.slice(lineStart));
  return Math.max(from, isFence ? lineStart : decidedTo(text));
}
