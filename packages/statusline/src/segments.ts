import { ownLabel } from "./own-label.ts";
import { ownText } from "./own-text.ts";
import { trim } from "./trim.ts";

/** What one status line can show. An empty or missing field is a segment that is left out. */
export type Status = {
  /** See `providerEmoji` and `providerEmojiForModel`. Not capped: it comes from the relay, not from the agent. */
  readonly providerEmoji?: string | undefined;
  /** Name of the model for people, see `shortModelName`. */
  readonly model?: string | undefined;
  /** The agent's mood label, from `parseMeta`. */
  readonly mood?: string | undefined;
  /** The agent's progress label such as `2/5`, from `parseMeta`. */
  readonly plan?: string | undefined;
};

/**
 * The parts of a status line that are not empty, in their order: who (emoji and model, with a space between them),
 * mood, plan. Relays join them, usually with `" • "`, and wrap them in the markup of their platform.
 *
 * Every part is trimmed; model, mood and plan are capped at `MAX_FIELD_RUNES` code points each.
 * Nothing is escaped: labels come from the agent and may hold markup and line breaks.
 *
 * @returns At most three strings; none for an empty status or one that is not an object. Never throws.
 */
export function segments(status: Status): string[] {
  const who = filled([trim(ownText(status, "providerEmoji")), ownLabel(status, "model")]).join(" ");
  return filled([who, ownLabel(status, "mood"), ownLabel(status, "plan")]);
}

function filled(parts: string[]): string[] {
  return parts.filter((part) => part !== "");
}
