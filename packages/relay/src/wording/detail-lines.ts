import type { ToolContent } from "@acp-kit/router";
import { capRunes } from "@acp-kit/statusline";

// A detail is a glance, not the file: more than a dozen lines push the answer off a phone's screen.
const MAX_LINES = 12;
const MAX_CODE_POINTS = 800;
const MAX_LINE_CODE_POINTS = 400;

/** What a tool call shows of itself as text, an edit as Markdown of its difference; empty for what is shown elsewhere. */
export function detailText(content: ToolContent): string {
  switch (content.kind) {
    case "text":
      return content.text;
    case "diff":
      return formatDiff(content);
    case "terminal":
      return ""; // its output is the terminal's own
  }
}

/** Output of a tool as a few lines: at most 12 of 400 code points, and 800 in all or three, with the middle elided. */
export function detailLines(text: string): readonly string[] {
  return elided(contentLines(text));
}

function contentLines(text: string): string[] {
  const lines = text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.replaceAll("\t", "    ").trimEnd());
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, last + 1).map(cappedLine);
}

function cappedLine(line: string): string {
  const capped = capRunes(line, MAX_LINE_CODE_POINTS);
  return capped === line ? line : `${capRunes(line, MAX_LINE_CODE_POINTS - 1)}…`;
}

/** The first and last lines that fit, with a line between them that says how many are missing and counts itself. */
function elided(lines: string[]): string[] {
  const sizes = lines.map((line) => [...line].length);
  let kept = lines.length;
  const head = () => Math.ceil(kept / 2);
  const size = () => sum(sizes.slice(0, head())) + sum(sizes.slice(sizes.length - (kept - head())));
  if (kept <= MAX_LINES && sum(sizes) <= MAX_CODE_POINTS) return lines;
  kept = Math.min(MAX_LINES - 1, lines.length - 1);
  while (kept > 2 && size() > MAX_CODE_POINTS) kept -= 1;
  return [
    ...lines.slice(0, head()),
    `… ${lines.length - kept} lines elided …`,
    ...lines.slice(lines.length - (kept - head())),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** An edit as a `diff` code block under its path: the lines between what old and new text begin and end with. */
function formatDiff(edit: Extract<ToolContent, { kind: "diff" }>): string {
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
