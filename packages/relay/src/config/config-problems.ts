import type { SlackBotConfig } from "./bot-schema.ts";
import type { Path } from "./document.ts";
import type { AgentConfig, Config } from "./schema.ts";
import { describeUnknown } from "./schema-parts.ts";

/** Something wrong with the value at `path`; `what` includes the cure. */
export type Problem = { readonly path: Path; readonly what: string };

/** Whoever can reach the private listener may guess its token. */
const MIN_TOKEN_LENGTH = 16;

/** What single values cannot show: names that nothing bears, a path that two bots share, a weak token. Pure. */
export function findConfigProblems(config: Config): readonly Problem[] {
  const problems: Problem[] = [];
  const bots = Object.keys(config.bots);
  const expectName = (path: Path, what: string, name: string, known: readonly string[]) => {
    if (!known.includes(name)) {
      problems.push({ path, what: `"${name}": ${describeUnknown(what, name, known)}` });
    }
  };
  const botOfPath = new Map<string, string>();
  for (const [name, bot] of Object.entries(config.bots)) {
    const { agent, workspace, path } = bot;
    const at = ["bots", name];
    if (agent !== undefined) {
      expectName([...at, "agent"], "agent", agent, Object.keys(config.agents));
    }
    if (workspace !== undefined) {
      expectName([...at, "workspace"], "workspace", workspace, Object.keys(config.workspaces));
    }
    const reach = findReachProblem(config, agent, workspace);
    if (reach !== undefined) problems.push({ path: at, what: reach });
    // Other bots of Slack may have no use for one.
    if (bot.surface === "slack" && !isHttpBot(bot)) continue;
    const other = botOfPath.get(path);
    if (other !== undefined) {
      const what = `"${path}" is the path of "${other}" too; give each bot its own`;
      problems.push({ path: [...at, "path"], what });
    }
    botOfPath.set(path, name);
  }
  for (const [index, rule] of config.access.entries()) {
    const at = ["access", index];
    for (const [place, name] of rule.bots?.entries() ?? []) {
      expectName([...at, "bots", place], "bot", name, bots);
    }
    if (rule.poe?.bot !== undefined) expectName([...at, "poe", "bot"], "bot", rule.poe.bot, bots);
    const named = { workspace: rule.workspaces, agent: rule.agents };
    for (const [what, list] of Object.entries(named)) {
      const known = Object.keys(what === "agent" ? config.agents : config.workspaces);
      for (const [place, name] of list?.entries() ?? []) {
        if (name !== "*") expectName([...at, `${what}s`, place], what, name, known);
      }
    }
  }
  for (const [name, agent] of Object.entries(config.agents)) {
    const home = findHomeProblem(agent);
    if (home !== undefined) problems.push({ path: ["agents", name, ...home.at], what: home.what });
  }
  const { proxy } = config;
  if (proxy !== undefined && !/^https?:$/.test(URL.parse(proxy)?.protocol ?? "")) {
    const what = 'must be a proxy such as "http://proxy.example.org:3128"';
    problems.push({ path: ["proxy"], what });
  }
  const token = config.private?.token;
  if (token !== undefined && token.length < MIN_TOKEN_LENGTH) {
    const what = `must have at least ${MIN_TOKEN_LENGTH} characters`;
    problems.push({ path: ["private", "token"], what });
  }
  const { webhook } = config.notices;
  if (webhook !== undefined && URL.parse(webhook)?.protocol !== "https:") {
    const what = 'must be a URL that begins with "https://"';
    problems.push({ path: ["notices", "webhook"], what });
  }
  return problems;
}

/** Whether the configuration alone says that Slack sends requests for this bot. */
function isHttpBot({ appToken, signingSecret }: SlackBotConfig): boolean {
  return appToken === undefined && signingSecret !== undefined;
}

/** Homes of people are directories of the relay's own user, and the agent has to keep to them. */
function findHomeProblem({ home, runAs, wrapper, env, envPass, maxProcesses }: AgentConfig) {
  if (home !== "per-user") {
    const what = 'needs "home": "per-user"; one process serves everybody otherwise';
    return maxProcesses === undefined ? undefined : { at: ["maxProcesses"], what };
  }
  if (runAs !== undefined || wrapper !== undefined) {
    const other = runAs === undefined ? "wrapper" : "runAs";
    const what = `"per-user" does not go with "${other}": such an agent cannot enter the state directory, where the homes are`;
    return { at: ["home"], what };
  }
  const isSet = Object.hasOwn(env, "HOME") || envPass.includes("HOME");
  const what = '"per-user" does not go with a HOME in "env" or "envPass"; leave that out';
  return isSet ? { at: ["home"], what } : undefined;
}

/** An agent that is another user, or sees other directories, cannot enter the state directory. */
function findReachProblem(
  { agents, workspaces }: Config,
  agent = only(agents),
  workspace = only(workspaces),
): string | undefined {
  const { runAs, wrapper } = agents[agent] ?? {};
  if (runAs === undefined && wrapper === undefined) return undefined;
  const place = workspaces[workspace] ?? { isolation: "scratch" };
  if (place.isolation === "scratch") {
    return `"${agent}" cannot enter the state directory, where scratch workspaces are; choose a workspace with a "path"`;
  }
  return place.isolation === "worktree" && place.directory === undefined
    ? `"${agent}" cannot enter the state directory; give the workspace "${workspace}" a "directory" for its worktrees`
    : undefined;
}

/** The name that a bot need not give. */
function only(named: Readonly<Record<string, unknown>>): string {
  const [name = "", ...others] = Object.keys(named);
  return others.length === 0 ? name : "";
}
