import type { PoeBotConfig } from "../config/bot-schema.ts";
import { findAccessKeyProblem } from "./access-key.ts";
import type { Named, PoeBot } from "./bot.ts";
import type { EnvValues } from "./env-values.ts";
import { giveToOne } from "./give-to-one.ts";

/**
 * Gives the key of the environment to the bot without one. Pure.
 *
 * @param problems - What is missing or wrong is added to it.
 * @throws ConfigError
 */
export function completePoeBots(
  bots: Named<PoeBotConfig>,
  { POE_ACCESS_KEY: given }: EnvValues,
  problems: string[],
): Named<PoeBot> {
  const keyless = bots.filter(([, bot]) => bot.accessKeys.length === 0).map(([name]) => name);
  const taker = giveToOne(given, keyless, ["key", "accessKeys"]);
  return bots.map(([name, bot]) => {
    const own = bot.accessKeys.map((value, index) => ({
      value,
      setting: `bots.${name}.accessKeys[${index}]`,
    }));
    const keys = given !== undefined && name === taker ? [given] : own;
    if (keys.length === 0) {
      problems.push(
        `bot "${name}" has no access key; set POE_ACCESS_KEY, POE_ACCESS_KEY_FILE, or bots.${name}.accessKeys in the configuration`,
      );
    }
    for (const { value, setting } of keys) {
      const problem = findAccessKeyProblem(value);
      if (problem !== undefined) problems.push(`${setting}: ${problem}`);
    }
    return [name, { ...bot, accessKeys: keys.map(({ value }) => value) }];
  });
}
