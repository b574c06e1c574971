import { capRunes } from "@acp-kit/statusline";
import { quote } from "./label.ts";
import { renderLine } from "./markdown.ts";

// A detail is a glance, not the file: more than a dozen lines push the answer off a phone's screen.
const MAX_LINES = 12;
const MAX_CODE_POINTS = 800;
const MAX_LINE_CODE_POINTS = 400;

/** Output of a tool as quoted lines: bounded, with the middle elided, and with every code block closed. Blank is empty. */
export function renderDetail(text: string): string {
  const lines = elided(contentLines(text));
  return lines.length === 0 ? "" : quote(balanced(lines).join("\n"));
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

function balanced(lines: readonly string[]): string[] {
  let open = false;
  const rendered = lines.map((line) => {
    const info = /^ *(?:`{3,}|~{3,})([\w+-]*)$/.exec(line)?.[1];
    if (info === undefined || (open && info !== "")) {
      const text = line.replaceAll("`", "'");
      // Three tildes open a code block whatever follows them.
      return open ? text : renderLine(text.replace(/^ *(?=~{3})/, "$&\\"));
    }
    open = !open;
    return `\`\`\`${info}`;
  });
  return open ? [...rendered, "```"] : rendered;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
