/** An edit as a `diff` code block under its path: the lines between what old and new text begin and end with. */
export function formatDiff(edit: {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}): string {
  const before = edit.oldText === null ? [] : edit.oldText.split("\n");
  const after = edit.newText.split("\n");
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start])
    start += 1;
  let same = 0;
  while (
    same < Math.min(before.length, after.length) - start &&
    before.at(-1 - same) === after.at(-1 - same)
  ) {
    same += 1;
  }
  const removed = before.slice(start, before.length - same).map((line) => `-${line}`);
  const added = after.slice(start, after.length - same).map((line) => `+${line}`);
  if (removed.length + added.length === 0) return "";
  return [edit.path, "```diff", ...removed, ...added, "```"].join("\n");
}
