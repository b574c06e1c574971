import { expect } from "vitest";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { MAX_OPEN_LINES, MAX_OPEN_UNITS, type Settled } from "../../src/renderer/settled.ts";

/**
 * Fails unless a text that grows by these parts is shown as one that only grows, whatever is known of its beginning. If no
 * bound ends one of its blocks, it has to be shown as when it is read as a whole, also when it is taken in line by line.
 */
export function expectToGrow(parts: readonly string[]): void {
  expectToGrowBy(parts, undefined, undefined);
  const text = parts.join("");
  if (text.length > MAX_OPEN_UNITS || text.split("\n").length > MAX_OPEN_LINES) return;
  expectToGrowBy(parts, 1, Number.POSITIVE_INFINITY);
}

function expectToGrowBy(parts: readonly string[], step?: number, whole?: number): void {
  let told = "";
  let text = "";
  let settled: Settled | undefined;
  for (const part of parts) {
    text += part;
    const now = renderMarkdown(text, true, settled, step);
    expect(now.text).toBe(renderMarkdown(text, true, undefined, whole).text);
    expect(now.text.slice(0, told.length)).toBe(told);
    told = now.text;
    settled = now.settled;
  }
  const all = renderMarkdown(text, false, settled, step).text;
  expect(all).toBe(renderMarkdown(text, false, undefined, whole).text);
  expect(all.slice(0, told.length)).toBe(told);
}
