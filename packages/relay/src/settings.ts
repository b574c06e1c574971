import { basename, resolve } from "node:path";
import { DEFAULT_OPTIONS } from "@acp-kit/router";
import type { RelayApp } from "./app.ts";
import { type AccessKey, chooseBots } from "./choose-bots.ts";
import type { LoadedConfig } from "./config/read-config.ts";
import {
  type AgentConfig,
  type Bot,
  type Config,
  configSchema,
  NAME,
  type WorkspaceConfig,
} from "./config/schema.ts";
import { ConfigError } from "./errors.ts";
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
  /** The access key that the environment gives. */
  readonly envKey?: AccessKey | undefined;
  /** Makes the key of the demo. */
  readonly createKey: () => string;
};

/** Everything that a relay needs to start: configuration, flags and environment in one, and consistent. */
export type Settings = {
  /** `demo`: without configuration and key. It keeps its state in a temporary directory and admits everybody. */
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
const DEFAULT_PORT = 8787;

/**
 * Puts configuration, flags and environment together. Flags win over the configuration.
 *
 * @throws ConfigError
 */
export function createSettings(input: SettingsInput): Settings {
  const { app, flags, loaded, envKey } = input;
  const mode = loaded === undefined && envKey === undefined ? "demo" : "configured";
  const config = loaded?.config ?? configSchema.parse({});
  const key: AccessKey | undefined =
    mode === "demo" ? { value: input.createKey(), setting: "demo", source: "demo" } : envKey;
  const access: Config["access"] =
    mode === "demo" ? [{ users: ["*"], role: "operator" }] : config.access;
  const agents = chooseAgents(config, flags, app);
  const workspaces = chooseWorkspaces(config, flags);
  const bots = chooseBots({ app, config, key, path: flags.path }).map(
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
      `the demo admits everybody, so --host ${host} is refused; set ${app.keyEnv} or give a --config to serve other machines`,
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
    listen: { host, port: flags.port ?? config.listen.port ?? DEFAULT_PORT },
    private: config.private,
    stateDir: flags.stateDir === undefined ? config.stateDir : resolve(flags.stateDir),
    configFile: loaded?.file,
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
    secrets: [...(loaded?.secrets ?? []), ...(key === undefined ? [] : [key.value])],
    fromEnvironment: [
      ...(key?.source === "environment" ? [key.setting] : []),
      ...(loaded?.fromEnvironment ?? []),
    ],
  };
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

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
