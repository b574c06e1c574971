import type { PermissionAsk } from "./events.ts";
import type { Segment } from "./turn-view.ts";

/**
 * A view's segments for a reader whose next message is the answer: of several open questions only the oldest is there,
 * and the next one comes behind its end. What ended before it came is left out, unless somebody chose an option of it.
 *
 * Pure, and its results only grow at their end while a view does.
 */
export function* oneQuestionAtATime(segments: Iterable<Segment>): Generator<Segment, undefined> {
  /** Open questions; the first of them stands there. */
  const open: PermissionAsk[] = [];
  for (const segment of segments) {
    if (segment.kind === "question") {
      open.push(segment.ask);
      if (open.length === 1) yield segment;
      continue;
    }
    const place =
      segment.kind === "answer" ? open.findIndex(({ id }) => id === segment.permission) : -1;
    if (segment.kind !== "answer" || place < 0) {
      yield segment;
      continue;
    }
    const [ask] = open.splice(place, 1);
    const [next] = open;
    if (place === 0) {
      yield segment;
      if (next) yield { kind: "question", ask: next };
    } else if (ask && segment.end === "selected") {
      yield { kind: "question", ask };
      yield segment;
    }
  }
}
