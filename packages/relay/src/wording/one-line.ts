import { capRunes } from "@acp-kit/statusline";

/** Longest title in a tool line, plan entry or question, in code points: one line on most phones, two on small ones. */
export const MAX_TITLE_CODE_POINTS = 72;

/** Text of an agent as one short line: white space, control characters and what changes the direction become single spaces. */
export function oneLine(text: string, maxCodePoints: number): string {
  const start = text.slice(0, 20 * maxCodePoints); // a title can be a whole script, and is asked for again and again
  return capRunes(start.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim(), maxCodePoints);
}
