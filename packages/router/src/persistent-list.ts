/** A list that can be read; an array is one. */
export interface Sequence<Item> extends Iterable<Item> {
  readonly length: number;
  /** Negative indices count from the end. */
  at(index: number): Item | undefined;
}

/** Bits of an index that one level of the tree decides about; a node has a place for each value of them. */
const BITS = 5;
const WIDTH = 2 ** BITS;

type Node = readonly unknown[];

/**
 * A list that never changes: adding or replacing an item gives another list, which shares all but a few nodes with this
 * one. Both cost the same whatever the length (a copy of one node per level, and 32 items have one level, a million four).
 */
export class PersistentList<Item> implements Sequence<Item> {
  readonly length: number;
  /** Items, `WIDTH` to a leaf, under as many levels as they need. */
  readonly #root: Node;
  readonly #levels: number;

  private constructor(length: number, root: Node, levels: number) {
    this.length = length;
    this.#root = root;
    this.#levels = levels;
  }

  static of<Item>(items: Sequence<Item>): PersistentList<Item> {
    if (items instanceof PersistentList) return items;
    let list = new PersistentList<Item>(0, [], 1);
    for (const item of items) list = list.push(item);
    return list;
  }

  at(index: number): Item | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length
      ? (this.#leaf(place)[place % WIDTH] as Item)
      : undefined;
  }

  push(item: Item): PersistentList<Item> {
    const { length } = this;
    const isFull = length === WIDTH ** this.#levels;
    const levels = isFull ? this.#levels + 1 : this.#levels;
    const root = isFull ? [this.#root] : this.#root;
    return new PersistentList(length + 1, withItem(root, levels, length, item), levels);
  }

  /** @throws RangeError for an index that is not in the list. */
  with(index: number, item: Item): PersistentList<Item> {
    const place = index < 0 ? this.length + index : index;
    if (!(place >= 0 && place < this.length)) throw new RangeError(`There is no item ${index}`);
    const root = withItem(this.#root, this.#levels, place, item);
    return new PersistentList(this.length, root, this.#levels);
  }

  *[Symbol.iterator](): Generator<Item, undefined> {
    for (let start = 0; start < this.length; start += WIDTH) yield* this.#leaf(start) as Item[];
  }

  toJSON(): Item[] {
    return [...this];
  }

  #leaf(index: number): Node {
    let node = this.#root;
    for (let level = this.#levels - 1; level > 0; level--) {
      node = node[placeIn(level, index)] as Node;
    }
    return node;
  }
}

/** A copy of the tree below `node` with this item at `index`; nodes on the way that are missing are made. */
function withItem(node: Node, levels: number, index: number, item: unknown): Node {
  const place = placeIn(levels - 1, index);
  const copy = node.slice();
  copy[place] =
    levels === 1
      ? item
      : withItem((node[place] as Node | undefined) ?? [], levels - 1, index, item);
  return copy;
}

function placeIn(level: number, index: number): number {
  return (index >>> (level * BITS)) % WIDTH;
}
