import { ConfigError } from "../errors.ts";
import type { EnvValue } from "./env-values.ts";

/**
 * The bot that gets what the environment gives: the only one without it.
 *
 * @param without - Names of the bots that have none of their own.
 * @param what - What it is, and the setting that a bot has for it.
 * @throws ConfigError for several.
 */
export function giveToOne(
  value: EnvValue | undefined,
  without: readonly string[],
  [what, setting]: readonly [what: string, setting: string],
): string | undefined {
  if (value !== undefined && without.length > 1) {
    throw new ConfigError([
      `${value.setting} is the ${what} of one bot, and ${without.join(", ")} have none; set bots.<name>.${setting} in the configuration`,
    ]);
  }
  return value === undefined ? undefined : without[0];
}
