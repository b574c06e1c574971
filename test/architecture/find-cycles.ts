/** Each circle of a graph that a walk in the order of its nodes meets, as `a → b → a`. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, above: readonly string[]): void => {
    const start = above.indexOf(node);
    if (start >= 0) cycles.push([...above.slice(start), node].join(" → "));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...above, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
