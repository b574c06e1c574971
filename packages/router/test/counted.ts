import type { Sequence } from "../src/persistent-list.ts";
import type { Segment } from "../src/turn-view.ts";

/** Segments of a view, which count how often one of them is looked at. */
export class Counted implements Sequence<Segment> {
  reads = 0;
  readonly #segments: Sequence<Segment>;

  constructor(segments: Sequence<Segment>) {
    this.#segments = segments;
  }

  get length(): number {
    return this.#segments.length;
  }

  at(index: number): Segment | undefined {
    this.reads += 1;
    return this.#segments.at(index);
  }

  *[Symbol.iterator](): Generator<Segment, undefined> {
    for (const segment of this.#segments) {
      this.reads += 1;
      yield segment;
    }
  }
}
