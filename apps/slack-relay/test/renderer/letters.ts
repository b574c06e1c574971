import type { Nodes } from "mdast";

/** Letters and digits of texts and code. */
export function lettersOf(node: Nodes): readonly string[] {
  if ("children" in node) return node.children.flatMap(lettersOf);
  const text = node.type === "text" || node.type === "code" || node.type === "inlineCode";
  return text ? [...node.value.matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => letter) : [];
}
