import type { RelayApp } from "../app.ts";
import { type BotConfig, botSchema, type SurfaceName } from "../config/bot-schema.ts";
import type { Config } from "../config/schema.ts";
import { ConfigError } from "../errors.ts";
import { type Bot, type Named, pathOf } from "./bot.ts";
import { completePoeBots } from "./complete-poe-bots.ts";
import { completeSlackBots } from "./complete-slack-bots.ts";
import type { EnvValues } from "./env-values.ts";

export type ChooseBotsOptions = {
  readonly app: Pick<RelayApp, "surfaceName">;
  readonly config: Pick<Config, "bots">;
  /** For bots that have none of their own. */
  readonly env: EnvValues;
  /** Of `--path`. */
  readonly path: string | undefined;
};

/**
 * The bots of the app's surface, each with its path and its secrets; one that is named like the surface when the
 * configuration has none of them.
 *
 * @throws ConfigError with everything that is missing or wrong.
 */
export function chooseBots({ app, config, env, path }: ChooseBotsOptions): Named<Bot> {
  const { surfaceName: surface } = app;
  const named = botsOn(surface, config.bots);
  if (path !== undefined && named.length > 1) {
    throw new ConfigError([
      "--path is for a single bot; set bots.<name>.path in the configuration",
    ]);
  }
  const bots = named.map(
    ([name, bot]) => [name, path === undefined ? bot : { ...bot, path }] as const,
  );
  const problems: string[] = [];
  const chosen =
    surface === "poe"
      ? completePoeBots(onSurface(bots, surface), env, problems)
      : completeSlackBots(onSurface(bots, surface), env, problems);
  problems.push(...findSharedPaths(chosen));
  const [first, ...others] = problems;
  if (first !== undefined) throw new ConfigError([first, ...others]);
  return chosen;
}

/** Those of a surface, as they are configured; one that is named like it when there is none. */
export function botsOn(surface: SurfaceName, bots: Config["bots"]): Named<BotConfig> {
  const found = Object.entries(bots).filter(([, bot]) => bot.surface === surface);
  return found.length > 0 ? found : [[surface, botSchema.parse({ surface })]];
}

function onSurface<Surface extends BotConfig["surface"]>(bots: Named<BotConfig>, surface: Surface) {
  type One = Extract<BotConfig, { surface: Surface }>;
  const isThere = (entry: Named<BotConfig>[number]): entry is readonly [string, One] =>
    entry[1].surface === surface;
  return bots.filter(isThere);
}

/** Of a Slack bot it is known only now whether it is asked on its path. */
function findSharedPaths(bots: Named<Bot>): readonly string[] {
  const owners = new Map<string, string>();
  return bots.flatMap(([name, bot]) => {
    const path = pathOf(bot);
    if (path === undefined) return [];
    const other = owners.get(path);
    owners.set(path, name);
    if (other === undefined) return [];
    return [`bots.${name}.path: "${path}" is the path of "${other}" too; give each bot its own`];
  });
}
