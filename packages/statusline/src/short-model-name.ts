import { capRunes, MAX_FIELD_RUNES } from "./cap-runes.ts";
import { lowerCase } from "./lower-case.ts";
import { trim } from "./trim.ts";

// What may be dropped from the end: at most 9 UTF-16 units.
const tail = /-(?:latest|preview|\d{8})$/i;
const brand = /^(?:claude|anthropic)-(?=.)/is;
const dashBetweenDigits = /(?<=\d)-(?=\d)/g;

/**
 * A model id as people call it, short enough for a status line: `anthropic/claude-opus-4-5-20251101` is `opus-4.5`.
 *
 * Drops the provider (up to the first slash), `-latest`, `-preview` and eight-digit dates from the end as often as
 * they come, one leading `claude-` or `anthropic-`; turns a dash between two digits into a dot; lower-cases; caps at
 * `MAX_FIELD_RUNES` code points. Never drops the last thing that is left.
 *
 * Only to be shown: different models can share a short name, and none leads back to its id.
 *
 * @returns `""` for what is not a string. Never throws.
 */
export function shortModelName(modelId: string): string {
  if (typeof modelId !== "string") return "";
  const id = trim(modelId);
  const bare = withoutTails(id.slice(id.indexOf("/") + 1)).replace(brand, "");
  return lowerCase(capRunes(bare.replace(dashBetweenDigits, "."), MAX_FIELD_RUNES));
}

function withoutTails(name: string): string {
  let rest = name;
  for (;;) {
    const length = tail.exec(rest.slice(-9))?.[0].length ?? 0;
    if (length === 0 || length === rest.length) return rest;
    rest = rest.slice(0, -length);
  }
}
