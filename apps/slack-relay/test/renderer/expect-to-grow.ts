import { expect } from "vitest";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import type { Settled } from "../../src/renderer/settled.ts";

/** Fails unless a text that grows by these parts is shown as one that only grows, whatever is known of its beginning. */
export function expectToGrow(parts: readonly string[]): void {
  let told = "";
  let text = "";
  let settled: Settled | undefined;
  for (const part of parts) {
    text += part;
    const now = renderMarkdown(text, true, settled);
    expect(now.text).toBe(renderMarkdown(text, true).text);
    expect(now.text.slice(0, told.length)).toBe(told);
    told = now.text;
    settled = now.settled;
  }
  const whole = renderMarkdown(text, false, settled).text;
  expect(whole).toBe(renderMarkdown(text, false).text);
  expect(whole.slice(0, told.length)).toBe(told);
}
