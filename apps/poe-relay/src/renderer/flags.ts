import { OPTION_PARAMETERS, PROVIDER_MODEL_PREFIX } from "@acp-kit/router";

const names: readonly string[] = Object.values(OPTION_PARAMETERS);
const beginnings: readonly string[] = [...names, PROVIDER_MODEL_PREFIX];

/** Two dashes in front of a parameter's name. `\b` is ASCII on purpose: so is the client's idea of a name. */
export const RESERVED_FLAG = `--(?=(?:${PROVIDER_MODEL_PREFIX}\\w+|${names.join("|")})\\b)`;

/** The dashes of a flag with a zero-width space behind them: they look the same and name nothing. */
export const HARMLESS_DASHES = "--\u200B";

const reservedFlags = new RegExp(RESERVED_FLAG, "g");

/**
 * Makes tokens like `--model` harmless. Poe's client reads them as parameters wherever they stand in a message, so a
 * person who quotes our text could not send it: the whole message is refused before it reaches the bot.
 */
export function escapeFlags(text: string): string {
  return text.replace(reservedFlags, HARMLESS_DASHES);
}

/** The end of `text` of which more text decides whether it is a reserved flag; `""` when there is none. */
export function undecidedFlag(text: string): string {
  const end = /(?:--\w*|-)$/.exec(text)?.[0] ?? "";
  return beginnings.some((name) => name.startsWith(end.slice(2))) ? end : "";
}
