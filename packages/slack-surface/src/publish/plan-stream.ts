import { contextBehind, cutMarkdown } from "./cut-markdown.ts";
import { closing, contextAt, plainContext, reopening } from "./markdown-context.ts";
import type { OpenStream, PublishedState } from "./publication.ts";

/** Slack takes 12,000 code points at once, and ends a stream after 5 minutes: it is ended before, and another begun. */
export const STREAM_LIMITS = {
  maxCodePoints: 11_000,
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
  | { readonly kind: "stop" };

/** The next step towards showing all of a text in streams; nothing when it is shown as far as it may be yet. Pure. */
export function planStream(
  { sealed, stream }: PublishedState,
  text: string,
  { isFinal, now }: { readonly isFinal: boolean; readonly now: number },
): StreamStep | undefined {
  if (!stream) {
    const from = sealed.at(-1)?.to ?? 0;
    return readableTo(text, from, isFinal) > from ? { kind: "start", from } : undefined;
  }
  const piece = cutMarkdown(text, stream.from, STREAM_LIMITS.maxCodePoints);
  const isFull = piece.to < text.length;
  const to = isFull ? piece.to : readableTo(text, stream.to, isFinal);
  if (to > stream.to && !stream.isClosed) {
    const isFirst = stream.to === stream.from;
    const before = isFirst ? reopening(contextAt(text, stream.from)) : "";
    return { kind: "append", chunk: before + text.slice(stream.to, to), to };
  }
  if (!isFull && !isFinal && now < restsAt(stream)) return undefined;
  const shown = text.slice(0, stream.to);
  const closer = closing(contextBehind(plainContext, shown), shown.endsWith("\n"));
  return closer !== "" && !stream.isClosed
    ? { kind: "append", chunk: closer, to: stream.to, isClosed: true }
    : { kind: "stop" };
}

/** From when on a stream is to be ended, if nothing comes. */
export function restsAt({ startedAt, touchedAt }: OpenStream): number {
  const { maxAgeMs, restAfterMs } = STREAM_LIMITS;
  return Math.min(startedAt + maxAgeMs, touchedAt + restAfterMs);
}

/** Without a last line that may yet become a fence: what has been appended cannot be taken back. */
function readableTo(text: string, from: number, isFinal: boolean): number {
  if (isFinal) return text.length;
  const lineStart = Math.max(from, text.lastIndexOf("\n") + 1);
  return /^[\s>]*[`~]/.test(text.slice(lineStart)) ? lineStart : text.length;
}
