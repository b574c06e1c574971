import type { RelayApp } from "./app.ts";
import { ACCESS_KEY_LENGTH, type Bot, botSchema, type Config } from "./config/schema.ts";
import { ConfigError } from "./errors.ts";

/** An access key that stands outside of the configuration. */
export type AccessKey = {
  readonly value: string;
  /** The variable that gave it, for errors. */
  readonly setting: string;
  readonly source: "environment" | "file" | "demo";
};

export type ChooseBotsOptions = {
  readonly app: RelayApp;
  readonly config: Config;
  /** For the bot that has none of its own. */
  readonly key: AccessKey | undefined;
  /** Of `--path`. */
  readonly path: string | undefined;
};

/**
 * The bots of the app's surface, each with its path and its keys; one that is named like the surface when the
 * configuration has none of them.
 *
 * @throws ConfigError
 */
export function chooseBots({
  app,
  config,
  key,
  path,
}: ChooseBotsOptions): readonly [string, Bot][] {
  const configured = Object.entries(config.bots).filter(
    ([, bot]) => bot.surface === app.surfaceName,
  );
  const bots: [string, Bot][] =
    configured.length > 0
      ? configured
      : [[app.surfaceName, botSchema.parse({ surface: app.surfaceName })]];
  if (path !== undefined && bots.length > 1) {
    throw new ConfigError([
      "--path is for a single bot; set bots.<name>.path in the configuration",
    ]);
  }
  const keyless = bots.filter(([, bot]) => bot.accessKeys.length === 0).map(([name]) => name);
  if (key !== undefined && keyless.length > 1) {
    throw new ConfigError([
      `${key.setting} is the key of one bot, and ${keyless.join(", ")} have none; set bots.<name>.accessKeys in the configuration`,
    ]);
  }
  return bots.map(([name, bot]) => [
    name,
    { ...bot, accessKeys: keysOf(name, bot, key, app), path: path ?? bot.path },
  ]);
}

function keysOf(name: string, bot: Bot, key: AccessKey | undefined, app: RelayApp): string[] {
  const setting = `bots.${name}.accessKeys`;
  if (bot.accessKeys.length > 0) {
    return bot.accessKeys.map((value, index) => checkedKey(value, `${setting}[${index}]`));
  }
  if (key !== undefined) return [checkedKey(key.value, key.setting)];
  throw new ConfigError([
    `bot "${name}" has no access key; set ${app.keyEnv}, ${app.keyEnv}_FILE, or ${setting} in the configuration`,
  ]);
}

function checkedKey(key: string, setting: string): string {
  if (key.length === ACCESS_KEY_LENGTH) return key;
  throw new ConfigError([
    `${setting}: an access key has ${ACCESS_KEY_LENGTH} characters and this one has ${key.length}; copy the whole key from the bot's settings`,
  ]);
}
