import { homedir } from "node:os";
import { findAgentPrograms } from "../../agents.ts";
import type { Finding, RelayApp } from "../../app.ts";
import type { Env } from "../../config/secret.ts";
import { ConfigError, RelayError } from "../../errors.ts";
import { findRisks } from "../../find-risks.ts";
import type { Settings } from "../../settings.ts";
import { stateDirOf } from "../../state-dir.ts";
import { formatForTerminal } from "../../terminal-text.ts";
import { createWorkspaces } from "../../workspaces.ts";
import { createKey, readSettings } from "../read-settings.ts";
import type { CheckRequest } from "../requests.ts";
import { formatBots } from "../start-text.ts";
import type { Streams } from "../streams.ts";
import { useProxy } from "../use-proxy.ts";

/**
 * Looks at a configuration as a start would, and asks the platform about its bots. Gives the exit code: 1 when it would
 * not do.
 *
 * @throws ConfigError
 */
export async function check(
  app: RelayApp,
  { config, flags, isOffline }: CheckRequest,
  env: Env,
  { stdout }: Streams,
): Promise<0 | 1> {
  const settings = await readSettings(app, { config, flags }, env, createKey());
  const isDemo = settings.mode === "demo";
  const demo = `Nothing is configured: "${app.name} start" would run the demo.`;
  if (isDemo && flags.agent === undefined && flags.workspace === undefined) {
    stdout.write(`${demo}\n`);
    return 0;
  }
  const findings = [
    ...(await checkAgents(settings, env)),
    ...(await checkWorkspaces(app, settings, env)),
    ...(isOffline || isDemo ? [] : await checkBots(app, settings)),
  ];
  const lines = [
    ...(isDemo ? [demo] : [`${app.name} ${app.version} would serve:`]),
    ...formatBots(settings),
    ...findings.map(({ kind, text }) => `${kind.padEnd(7)}  ${text}`),
  ];
  stdout.write(formatForTerminal(`${lines.join("\n")}\n`));
  return findings.some(({ kind }) => kind === "problem") ? 1 : 0;
}

async function checkAgents(settings: Settings, env: Env): Promise<readonly Finding[]> {
  let programs: ReadonlyMap<string, string>;
  try {
    programs = await findAgentPrograms(settings.agents, env["PATH"]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((text) => ({ kind: "problem", text }));
  }
  const risks = await findRisks(settings, programs, env);
  return [
    ...Array.from(programs, ([name, file]) => fine(`agent ${name} is ${file}`)),
    ...risks.map(({ about, text }): Finding => {
      const what = Object.entries(about).map(([key, value]) => `${key} ${String(value)}`);
      return { kind: "warning", text: `${what.join(", ")}: ${text}` };
    }),
  ];
}

async function checkWorkspaces(
  app: RelayApp,
  settings: Settings,
  env: Env,
): Promise<readonly Finding[]> {
  const places = {
    stateDir: stateDirOf(app.name, settings, env),
    guarded: settings.configFile === undefined ? [] : [settings.configFile],
    home: env["HOME"] || homedir(),
  };
  const findings: Finding[] = [];
  for (const [name, workspace] of Object.entries(settings.workspaces)) {
    try {
      await createWorkspaces({ workspaces: { [name]: workspace }, ...places });
      findings.push(fine(`workspace ${name} can be used`));
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      findings.push({ kind: "problem", text: error.message });
    }
  }
  return findings;
}

function fine(text: string): Finding {
  return { kind: "fine", text };
}

async function checkBots(app: RelayApp, { bots, proxy }: Settings): Promise<readonly Finding[]> {
  if (!app.checkBot) return [];
  await useProxy(proxy);
  const found: Finding[] = [];
  for (const bot of bots) {
    for (const { kind, text } of await app.checkBot(bot)) {
      found.push({ kind, text: `bot ${bot.name}: ${text}` });
    }
  }
  return found;
}
