import type { RelayApp } from "./app.ts";
import { findAccessKeyProblem } from "./config/access-key.ts";
import { type Bot, botSchema, type Config } from "./config/schema.ts";
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
 * @throws ConfigError with every key that is missing or wrong.
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
  const problems: string[] = [];
  const chosen = bots.map(([name, bot]): [string, Bot] => {
    const keys = keysOf(name, bot, key);
    if (keys.length === 0) {
      problems.push(
        `bot "${name}" has no access key; set ${app.keyEnv}, ${app.keyEnv}_FILE, or bots.${name}.accessKeys in the configuration`,
      );
    }
    for (const { value, setting } of keys) {
      const problem = findAccessKeyProblem(value);
      if (problem !== undefined) problems.push(`${setting}: ${problem}`);
    }
    return [name, { ...bot, accessKeys: keys.map(({ value }) => value), path: path ?? bot.path }];
  });
  const [first, ...others] = problems;
  if (first !== undefined) throw new ConfigError([first, ...others]);
  return chosen;
}

/** Those of the configuration, each with its place there; else the one of the environment. */
function keysOf(
  name: string,
  { accessKeys }: Bot,
  key: AccessKey | undefined,
): readonly Pick<AccessKey, "value" | "setting">[] {
  if (accessKeys.length === 0) return key === undefined ? [] : [key];
  return accessKeys.map((value, index) => ({
    value,
    setting: `bots.${name}.accessKeys[${index}]`,
  }));
}
