import { MAX_CARRY_CHARS } from "@acp-kit/router";
import { noBlocks, openingLine, readLine } from "./fence.ts";
import type { Lines } from "./markdown.ts";

/** A line that is, or may become, the mark of a code block. */
const mark = /^[ \t]*([`~]?)\1*[ \t]*$/;

/**
 * What a text has to begin with that goes on in another message where `text` ends: the code block that is open, and
 * what of the last line only makes sense together with what follows. `undefined` when that is nothing.
 *
 * @param lines - What rendering made of the lines that have ended.
 */
export function findCarry(text: string, { source, blocks }: Lines): string | undefined {
  const rest = text.slice(source.length);
  const [half = ""] = /[\uD800-\uDBFF]$/.exec(rest.slice(-1)) ?? [];
  const unfinished = rest.trim() !== "" && mark.test(rest) ? rest : half;
  const { fence } = blocks;
  const opening = fence ?? readLine(rest, blocks).after.fence;
  const line = opening && openingLine(opening);
  if (opening && line === undefined) return undefined;
  const carry = fence ? `${line}\n${unfinished}` : (line ?? unfinished);
  return carry === "" || carry.length > MAX_CARRY_CHARS ? undefined : carry;
}

/**
 * A text that goes on where another message ended. A code block that ends at once is not opened again; until it is
 * known whether it does, there is nothing.
 *
 * @param running - More may follow.
 */
export function continueText(carried: string, text: string, running: boolean): string {
  const whole = carried + text;
  const start = carried.indexOf("\n") + 1;
  if (start === 0) return whole;
  const { after } = readLine(carried.slice(0, start - 1), noBlocks);
  const end = whole.indexOf("\n", start);
  const line = whole.slice(start, end === -1 ? undefined : end);
  if (running && end === -1 && mark.test(line)) return "";
  if (readLine(line, after).after.fence) return whole;
  return end === -1 ? "" : whole.slice(end + 1);
}
