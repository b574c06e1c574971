import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSupervisor, SupervisorOptions } from "@acp-kit/acp-wire";
import type { SettingsSource } from "@acp-kit/router";
import { identityOf } from "./agent-identity.ts";
import type { AgentConfig } from "./config/schema.ts";
import type { Env } from "./config/secret.ts";
import { ConfigError } from "./errors.ts";
import { findExecutable } from "./find-executable.ts";
import { PersonalAgents } from "./homes/personal-agents.ts";
import type { Log } from "./log.ts";
import { ObservedAgent } from "./offers/observed-agent.ts";
import type { Settings } from "./settings.ts";
import { formatForTerminal } from "./terminal-text.ts";

export type CreateAgentsOptions = {
  readonly settings: Pick<Settings, "agents">;
  /** Of {@link findAgentPrograms}. */
  readonly programs: ReadonlyMap<string, string>;
  /** What agents may be given some of; see acp-wire's allow-list. */
  readonly env: Env;
  /** Each agent's process starts in a directory of its own under it. */
  readonly stateDir: string;
  readonly client: { readonly name: string; readonly version: string };
  /** Called with what an agent says of its sessions; see {@link ObservedAgent}. */
  readonly hear?: (agent: string, source: SettingsSource, isFresh: boolean) => void;
  readonly log: Log;
};

/** How long an agent may take to come up: `npx` fetches a package of its size first. In milliseconds. */
const START_MS = 120_000;

/**
 * The file of the program that starts each agent, its own or the wrapper's, by the agent's name.
 *
 * @throws ConfigError for a program that is not there.
 */
export async function findAgentPrograms(
  agents: Readonly<Record<string, AgentConfig>>,
  path: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const programs = new Map<string, string>();
  for (const [name, { command, wrapper = command }] of Object.entries(agents)) {
    const [program = ""] = wrapper;
    const file = await findExecutable(program, path);
    if (file === undefined) {
      const why = program.includes("/") ? "is no executable file" : "is not on PATH";
      throw new ConfigError([
        `agent "${name}": ${program} ${why}; install it, or give the path of its program`,
      ]);
    }
    programs.set(name, file);
  }
  return programs;
}

/** Agents that start when they are first needed and again after they died. Each is to be disposed. */
export async function createAgents(
  options: CreateAgentsOptions,
): Promise<ReadonlyMap<string, AgentSupervisor>> {
  const { settings, programs, env, stateDir, client, hear } = options;
  const supervisors = new Map<string, AgentSupervisor>();
  for (const [name, agent] of Object.entries(settings.agents)) {
    const { command, wrapper, stopCommand, env: own, envPass } = agent;
    const log = options.log.child({ agent: name });
    const supervised: SupervisorOptions = {
      ...identityOf(agent),
      ...startOf(programs.get(name) ?? "", command, wrapper),
      cwd: await ownDirectory(stateDir, name, agent),
      stopCommand,
      hostEnv: env,
      env: own,
      envPass,
      clientInfo: client,
      initializeTimeoutMs: START_MS,
      waitMs: START_MS,
      onStderr: (line) => log.debug({ line: formatForTerminal(line) }, "agent stderr"),
      onNoise: (line) => log.debug({ line: formatForTerminal(line) }, "agent noise"),
      onOversize: () => log.warn("a line of the agent was too long and was left out"),
      onWarning: (message) => log.warn(message),
      onClientError: (err, method) => log.error({ err, method }, "taking an update failed"),
    };
    const heard = (source: SettingsSource, isFresh: boolean) => hear?.(name, source, isFresh);
    const { maxProcesses } = agent;
    supervisors.set(
      name,
      agent.home === "per-user"
        ? new PersonalAgents({ name, supervised, hear: heard, stateDir, maxProcesses })
        : new ObservedAgent(supervised, heard),
    );
  }
  return supervisors;
}

/** The command with the file that was found instead of its first word. */
function startOf(file: string, command: readonly string[], wrapper: readonly string[] | undefined) {
  return wrapper === undefined
    ? { command: [file, ...command.slice(1)] }
    : { command, wrapper: [file, ...wrapper.slice(1)] };
}

/** Another user may not enter the state directory. */
async function ownDirectory(stateDir: string, name: string, agent: AgentConfig): Promise<string> {
  if (agent.runAs !== undefined) return "/";
  const directory = join(stateDir, "agents", name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}
