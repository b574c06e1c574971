import { capRunes } from "./cap-runes.ts";
import { lowerCase } from "./lower-case.ts";
import { trim } from "./trim.ts";

/** Each row: the emoji, then the slugs that it stands for. */
const rows: readonly (readonly string[])[] = [
  ["🏛️", "anthropic", "claude"],
  ["🌐", "openai", "codex"],
  ["👻", "poe"],
  ["✨", "google", "gemini", "google-antigravity", "antigravity"],
  ["🐙", "copilot", "github-copilot", "github"],
  ["🐡", "sakana"],
  ["✖️", "xai", "grok"],
  ["🌪️", "mistral", "mistralai"],
  ["🦙", "meta", "meta-llama", "llama"],
  ["🔀", "openrouter"],
  ["⚡", "groq"],
  ["🐋", "deepseek"],
  ["🔗", "cohere"],
];

/** More than any slug has, so that a huge text costs no more than a small one. */
const maxSlugRunes = 36;

/**
 * The emoji that every relay shows for a provider of models.
 *
 * @param slug - A provider's slug such as `anthropic`, in any case, with or without space around it; nothing else
 *   is matched, so `claude-opus-4.5` is not a slug. See {@link providerEmojiForModel} for model ids.
 * @returns `""` for an unknown provider and for what is not a string. Never throws.
 */
export function providerEmoji(slug: string): string {
  if (typeof slug !== "string") return "";
  const wanted = lowerCase(capRunes(trim(slug), maxSlugRunes));
  return rows.find((row) => row.includes(wanted, 1))?.[0] ?? "";
}

/**
 * The emoji for the provider of a model id of the form `provider/model`; the first slash divides.
 *
 * @returns `""` when there is no slash, nothing before it, or no known provider. Never throws.
 */
export function providerEmojiForModel(modelId: string): string {
  if (typeof modelId !== "string") return "";
  return providerEmoji(modelId.slice(0, Math.max(0, modelId.indexOf("/"))));
}
