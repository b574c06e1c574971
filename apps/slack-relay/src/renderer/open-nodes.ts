import type { Nodes, Root } from "mdast";

/** The last block and all that it is in, outermost first. Pure. */
export function openNodes(tree: Root): readonly Nodes[] {
  const open: Nodes[] = [];
  for (let node: Nodes | undefined = tree.children.at(-1); node; ) {
    open.push(node);
    node = isContainer(node) ? node.children.at(-1) : undefined;
  }
  return open;
}

function isContainer(node: Nodes): node is Extract<Nodes, { type: "list" | "blockquote" }> {
  return ["list", "listItem", "blockquote"].includes(node.type);
}
