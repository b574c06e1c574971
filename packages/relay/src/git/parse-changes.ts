/** What became of a file. */
export type FileChange = {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
  /** Lines; absent for a file that is no text. */
  readonly lines?: { readonly added: number; readonly removed: number };
};

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

/** What `git diff --raw --numstat -z --no-renames` prints: an entry of each kind for each file, in one order. */
export function parseChanges(output: string): readonly FileChange[] {
  const kinds = new Map<string, FileChange["kind"]>();
  const changes: FileChange[] = [];
  const tokens = output.split("\0");
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (token.startsWith(":")) {
      at += 1;
      kinds.set(tokens[at] ?? "", KINDS[token.at(-1) ?? ""] ?? "changed");
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(token) ?? [];
    if (path === undefined) continue;
    const isText = added !== "-" && removed !== "-";
    changes.push({
      path,
      kind: kinds.get(path) ?? "changed",
      ...(isText && { lines: { added: Number(added), removed: Number(removed) } }),
    });
  }
  return changes;
}

/** `3 files changed +40 −12`; empty when nothing has changed. */
export function formatChangeSummary(changes: readonly FileChange[]): string {
  if (changes.length === 0) return "";
  const sum = (what: "added" | "removed") =>
    changes.reduce((total, { lines }) => total + (lines?.[what] ?? 0), 0);
  const files = changes.length === 1 ? "1 file" : `${changes.length} files`;
  return `${files} changed +${sum("added")} \u2212${sum("removed")}`;
}
