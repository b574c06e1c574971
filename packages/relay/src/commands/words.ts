import { formatForTerminal } from "../terminal-text.ts";

/** Longest word of a person or an agent that a reply repeats, in code points: a line of a phone and a half. */
const MAX_SHOWN = 60;

/** Text of an agent or a person on one line, cut, without what Markdown would act on. */
export function formatPlain(text: string, maxCodePoints = MAX_SHOWN): string {
  const plain = formatForTerminal(text)
    .replace(/[\\`*_~[\]<>#|]/g, "")
    .replace(/\s+/gu, " ")
    .trim();
  return cut(plain, maxCodePoints);
}

/** The same as code: an id, a path, a command. */
export function formatCode(text: string): string {
  const plain = formatForTerminal(text).replaceAll("`", "'").replace(/\s+/gu, " ").trim();
  return plain === "" ? "(nothing)" : `\`${cut(plain, MAX_SHOWN)}\``;
}

function cut(text: string, maxCodePoints: number): string {
  const points = [...text];
  return points.length <= maxCodePoints ? text : `${points.slice(0, maxCodePoints - 1).join("")}…`;
}

/** `40 s`, `12 min`, `3 h`, `2 d`: rounded, at least one of its unit. */
export function formatSpan(ms: number): string {
  const units: readonly [unit: string, ms: number][] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
  ];
  // 90 minutes are better than 2 hours.
  const [unit, size] = units.find(([, size]) => ms >= 2 * size) ??
    (ms >= 60_000 ? units[2] : undefined) ?? ["s", 1000];
  return `${Math.max(1, Math.round(ms / size))} ${unit}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `950`, `12 k`, `3.4 M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(Math.round(count));
  return count < 1_000_000
    ? `${Math.round(count / 1_000)} k`
    : `${(count / 1_000_000).toFixed(1)} M`;
}
