import { PersistentList, type Sequence } from "./persistent-list.ts";
import type { ToolView } from "./turn-view.ts";

/** The tool calls of a turn, in the order in which they began. Never changes: `set` gives another list. */
export class ToolList implements Sequence<ToolView> {
  readonly #tools: PersistentList<ToolView>;
  /**
   * The place of each id. Lists that were made from each other share it, so it may know of calls that this one does not
   * have; those have places behind its end. A list that adds a call is then given one of its own.
   */
  readonly #places: Map<string, number>;

  private constructor(tools: PersistentList<ToolView>, places: Map<string, number>) {
    this.#tools = tools;
    this.#places = places;
  }

  static of(tools: Sequence<ToolView>): ToolList {
    if (tools instanceof ToolList) return tools;
    const list = PersistentList.of(tools);
    return new ToolList(list, placesOf(list));
  }

  get length(): number {
    return this.#tools.length;
  }

  at(index: number): ToolView | undefined {
    return this.#tools.at(index);
  }

  get(id: string): ToolView | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#tools.at(place);
  }

  /** With this state of a call in the place of its last one, or behind all others when it is new. */
  set(tool: ToolView): ToolList {
    const { length } = this;
    const place = this.#places.get(tool.id) ?? length;
    if (place < length) return new ToolList(this.#tools.with(place, tool), this.#places);
    const places = this.#places.size === length ? this.#places : placesOf(this.#tools);
    return new ToolList(this.#tools.push(tool), places.set(tool.id, length));
  }

  [Symbol.iterator](): Iterator<ToolView> {
    return this.#tools[Symbol.iterator]();
  }

  toJSON(): ToolView[] {
    return this.#tools.toJSON();
  }
}

function placesOf(tools: PersistentList<ToolView>): Map<string, number> {
  return new Map(Array.from(tools, ({ id }, place) => [id, place]));
}
