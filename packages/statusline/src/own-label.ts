import { capRunes, MAX_FIELD_RUNES } from "./cap-runes.ts";
import { ownText } from "./own-text.ts";
import { trim } from "./trim.ts";

/** `owner`'s text at `key`, trimmed, then capped at {@link MAX_FIELD_RUNES}: leading space uses up no room. */
export function ownLabel(owner: unknown, key: string): string {
  return capRunes(trim(ownText(owner, key)), MAX_FIELD_RUNES);
}
