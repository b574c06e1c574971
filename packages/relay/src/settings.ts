import { basename, resolve } from "node:path";
import { DEFAULT_OPTIONS } from "@acp-kit/router";
import type { RelayApp } from "./app.ts";
import type { Bot } from "./bots/bot.ts";
import { chooseBots } from "./bots/choose-bots.ts";
import { type EnvValue, type EnvValues, PLAIN_ENV_NAMES } from "./bots/env-values.ts";
import type { SurfaceName } from "./config/bot-schema.ts";
import type { LoadedConfig } from "./config/read-config.ts";
import {
  type AgentConfig,
  type Config,
  configSchema,
  type WorkspaceConfig,
} from "./config/schema.ts";
import { NAME } from "./config/schema-parts.ts";
import { ConfigError } from "./errors.ts";
import { isLoopback } from "./is-loopback.ts";
import type { LogLevel } from "./log.ts";
import type { AccessRule } from "./people/access-rule.ts";
import { listedModels } from "./people/listed-models.ts";
import { hasOperators, listedModes } from "./people/listed-modes.ts";
import type { SurfaceBot } from "./surface.ts";

/** What the command line said. */
export type StartFlags = {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly stateDir?: string | undefined;
  readonly workspace?: string | undefined;
  readonly agent?: readonly string[] | undefined;
  readonly instance: string;
  readonly speed?: number | undefined;
  readonly drainSeconds?: number | undefined;
};

export type SettingsInput = {
  readonly app: RelayApp;
  readonly flags: StartFlags;
  /** Absent without `--config`. `file` is its real path. */
  readonly loaded?: (LoadedConfig & { readonly file: string }) | undefined;
  /** What the environment gives to bots. */
  readonly env?: EnvValues | undefined;
  /** Makes the key of the demo. */
  readonly createKey: () => string;
};

/** Everything that a relay needs to start: configuration, flags and environment in one, and consistent. */
export type Settings = {
  /** `demo`: on Poe, without configuration and key. It keeps its state in a temporary directory and admits everybody. */
  readonly mode: "demo" | "configured";
  readonly instance: string;
  readonly bots: readonly SurfaceBot[];
  /** By name: those that a bot uses, and what people may choose instead. */
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly workspaces: Readonly<Record<string, WorkspaceConfig>>;
  readonly access: readonly AccessRule[];
  readonly limits: Config["limits"];
  readonly listen: { readonly host: string; readonly port: number };
  readonly private: Config["private"];
  /** Absent: the default one, and in the demo a temporary one. */
  readonly stateDir: string | undefined;
  readonly configFile: string | undefined;
  /** What everything but this machine is reached through. */
  readonly proxy: string | undefined;
  readonly attachments: Config["attachments"];
  readonly store: Config["store"];
  readonly retention: Config["retention"];
  /** How long turns may go on at the end: in milliseconds when another process takes over, and when none does. */
  readonly lifecycle: { readonly handOverMs: number; readonly drainMs: number };
  readonly agentTools: Config["agentTools"];
  readonly notices: Config["notices"];
  readonly logLevel: LogLevel;
  /** Values that must not be logged. */
  readonly secrets: readonly string[];
  /** Settings whose secret stands in this process's environment. */
  readonly fromEnvironment: readonly string[];
};

/** Name of the agent that a relay has when nobody named one. */
export const DEMO_AGENT = "demo";

const DEMO_INTRODUCTION =
  "This is a demo: its agent only pretends to work. Write anything to see what an answer looks like. Stop ends it, and so does `!stop`; `!help` lists what else there is.";

/** The demo shows all that there is to see. */
function demoSettings({ introduction = DEMO_INTRODUCTION, defaults }: Bot) {
  return { introduction, defaults: { hideThinking: false, ...defaults } };
}

const DEFAULT_HOST = "127.0.0.1";

/** One for each surface, so that a relay for each runs on one machine. */
export const DEFAULT_PORTS: Readonly<Record<SurfaceName, number>> = { poe: 8787, slack: 8788 };

/**
 * Puts configuration, flags and environment together. Flags win over the configuration.
 *
 * @throws ConfigError
 */
export function createSettings(input: SettingsInput): Settings {
  const { app, flags, loaded, env: given = {} } = input;
  const isBare = loaded === undefined && Object.keys(given).length === 0;
  if (isBare && app.surfaceName === "slack") throw new ConfigError([withoutTokens(app)]);
  const mode = isBare ? "demo" : "configured";
  const config = loaded?.config ?? configSchema.parse({});
  const demoKey = (): EnvValue => ({ value: input.createKey(), setting: "demo", source: "demo" });
  const env: EnvValues = mode === "demo" ? { POE_ACCESS_KEY: demoKey() } : given;
  const envSecrets = Object.entries(env)
    .filter(([name]) => !PLAIN_ENV_NAMES.some((plain) => plain === name))
    .map(([, value]) => value);
  const access: Config["access"] =
    mode === "demo" ? [{ users: ["*"], role: "operator" }] : config.access;
  const agents = chooseAgents(config, flags, app);
  const workspaces = chooseWorkspaces(config, flags);
  const bots = chooseBots({ app, config, env, path: flags.path }).map(
    ([name, settings]): SurfaceBot => {
      const agent = choose(agents, settings.agent, `bots.${name}.agent`);
      const place = { surface: settings.surface, bot: name };
      return {
        name,
        settings: agents.isDemo ? { ...settings, ...demoSettings(settings) } : settings,
        agent,
        workspace: choose(workspaces, settings.workspace, `bots.${name}.workspace`),
        models: listedModels(config.access, place, config.agents[agent]?.models),
        modes: listedModes(access, place, config.agents[agent]?.modes),
        hasFixedSettings: !hasOperators(access, place),
        defaults: { ...DEFAULT_OPTIONS, ...settings.defaults },
      };
    },
  );
  const host = flags.host ?? config.listen.host ?? DEFAULT_HOST;
  if (mode === "demo" && !isLoopback(host)) {
    throw new ConfigError([
      `the demo admits everybody, so --host ${host} is refused; set POE_ACCESS_KEY or give a --config to serve other machines`,
    ]);
  }
  return {
    mode,
    instance: flags.instance,
    bots,
    agents: agents.byName,
    workspaces: workspaces.byName,
    access,
    limits: config.limits,
    listen: { host, port: flags.port ?? config.listen.port ?? DEFAULT_PORTS[app.surfaceName] },
    private: config.private,
    stateDir: flags.stateDir === undefined ? config.stateDir : resolve(flags.stateDir),
    configFile: loaded?.file,
    proxy: config.proxy,
    attachments: config.attachments,
    store: config.store,
    retention: config.retention,
    lifecycle: {
      handOverMs: config.lifecycle.handOverMinutes * 60_000,
      drainMs: (flags.drainSeconds ?? (mode === "demo" ? 0 : config.lifecycle.drainSeconds)) * 1000,
    },
    agentTools: config.agentTools,
    notices: config.notices,
    logLevel: mode === "demo" ? "warn" : config.log.level,
    secrets: [...(loaded?.secrets ?? []), ...envSecrets.map(({ value }) => value)],
    fromEnvironment: [
      ...envSecrets.filter(({ source }) => source === "environment").map((one) => one.setting),
      ...(loaded?.fromEnvironment ?? []),
    ],
  };
}

/** Slack has no bots without an app: there is nothing to serve. */
function withoutTokens({ name }: RelayApp): string {
  return `no Slack app is configured; "${name} manifest" prints what to make one from, then set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or give a --config; a checkout of acp-kit has a demo without an account: pnpm start:slack`;
}

type Choice<Value> = { readonly byName: Readonly<Record<string, Value>>; readonly forced?: string };

function chooseAgents(
  config: Config,
  flags: StartFlags,
  app: RelayApp,
): Choice<AgentConfig> & { readonly isDemo?: true } {
  const agentOf = (command: readonly string[]) => ({ command: [...command], env: {}, envPass: [] });
  if (flags.agent !== undefined) {
    if (flags.speed !== undefined) {
      throw new ConfigError(["--speed is for the demo agent; leave it out together with --agent"]);
    }
    return { byName: { agent: agentOf(flags.agent) }, forced: "agent" };
  }
  if (Object.keys(config.agents).length > 0) {
    if (flags.speed !== undefined) {
      throw new ConfigError(["--speed is for the demo agent; the configuration names another"]);
    }
    return { byName: config.agents };
  }
  const speed = flags.speed === undefined ? [] : ["--speed", String(flags.speed)];
  return { byName: { [DEMO_AGENT]: agentOf([...app.demoAgent, ...speed]) }, isDemo: true };
}

function chooseWorkspaces(config: Config, flags: StartFlags): Choice<WorkspaceConfig> {
  if (flags.workspace !== undefined) {
    const path = resolve(flags.workspace);
    const name = NAME.test(basename(path)) ? basename(path) : "workspace";
    return { byName: { [name]: { isolation: "shared", path, permissions: "ask" } }, forced: name };
  }
  return Object.keys(config.workspaces).length > 0
    ? { byName: config.workspaces }
    : { byName: { scratch: { isolation: "scratch", permissions: "ask" } } };
}

/** The name that a bot asked for, else the only one there is. */
function choose<Value>(choice: Choice<Value>, asked: string | undefined, setting: string): string {
  const names = Object.keys(choice.byName);
  const name = choice.forced ?? asked ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new ConfigError([`${setting}: must name one of ${names.join(", ")}`]);
  return name;
}
