import type { Nodes } from "mdast";

/**
 * A node and all that is in it, in the order of the text, however deep. Pure.
 *
 * @param isWhole - Of such a node nothing inside is wanted.
 */
export function* walkTree(
  node: Nodes,
  isWhole: (node: Nodes) => boolean = () => false,
): Generator<Nodes, void> {
  const waiting = [node];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    if (!("children" in next) || isWhole(next)) continue;
    for (const child of next.children.toReversed()) waiting.push(child);
  }
}
