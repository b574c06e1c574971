import type { PermissionAsk } from "./events.ts";
import type { Segment } from "./turn-view.ts";

/**
 * A view's segments, one after another, for a reader whose next message is the answer: of several open questions only
 * the oldest is there, and the next one comes behind its end. What ended before it came is left out, unless somebody
 * chose an option of it.
 */
export class QuestionLine {
  /** Open questions; the first of them stands there. */
  readonly #open: PermissionAsk[] = [];

  /** What the reader sees of the next segment. Texts, thoughts and tool calls are seen as they are. */
  push(segment: Segment): readonly Segment[] {
    if (segment.kind === "question") {
      this.#open.push(segment.ask);
      return this.#open.length === 1 ? [segment] : [];
    }
    if (segment.kind !== "answer") return [segment];
    const place = this.#open.findIndex(({ id }) => id === segment.permission);
    if (place < 0) return [segment];
    const [ask] = this.#open.splice(place, 1);
    const [next] = this.#open;
    if (place === 0) return next ? [segment, { kind: "question", ask: next }] : [segment];
    return ask && segment.end === "selected" ? [{ kind: "question", ask }, segment] : [];
  }
}

/** All segments as a {@link QuestionLine} shows them. Pure, and its results only grow at their end while a view does. */
export function* oneQuestionAtATime(segments: Iterable<Segment>): Generator<Segment, undefined> {
  const line = new QuestionLine();
  for (const segment of segments) yield* line.push(segment);
}
