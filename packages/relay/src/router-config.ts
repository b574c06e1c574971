import { readFileSync } from "node:fs";
import type {
  Agent,
  RouterConfig,
  RouterMetric,
  RouterReport,
  SessionServers,
  Store,
} from "@acp-kit/router";
import type { Bot } from "./bots/bot.ts";
import type { CommandAgent } from "./commands/command-context.ts";
import type { PolicyBook } from "./commands/policy-book.ts";
import { replies } from "./commands/replies.ts";
import { methodsOf } from "./commands/run-login.ts";
import { parseConversationKey } from "./conversation-key.ts";
import type { Files } from "./files/create-files.ts";
import type { Log } from "./log.ts";
import type { People } from "./people/people.ts";
import { placeOf } from "./people/place-of.ts";
import { policyFor } from "./people/policies.ts";
import type { Records } from "./records.ts";
import type { Settings } from "./settings.ts";
import type { SurfaceBot } from "./surface.ts";
import type { Places } from "./workspaces/places.ts";

export type RouterConfigOptions = {
  readonly settings: Settings;
  readonly agents: ReadonlyMap<string, Agent & Partial<Pick<CommandAgent, "authMethods">>>;
  readonly places: Places;
  readonly lockWorkspace: NonNullable<RouterConfig["lockWorkspace"]>;
  readonly files: Files;
  readonly people: People;
  readonly policies: PolicyBook;
  readonly records: Pick<Records, "report" | "metrics">;
  readonly sessionServers: SessionServers;
  readonly store: Store;
  readonly stateDir: string;
  readonly log: Log;
};

/** Answers the router's questions about a conversation by the bot that its key names. */
export function createRouterConfig(options: RouterConfigOptions): RouterConfig {
  const { settings, agents, places, lockWorkspace, files, people, policies, store, stateDir, log } =
    options;
  const { records, sessionServers } = options;
  const botOf = (conversation: string) => findBot(settings, conversation);
  const { turnMinutes } = settings.limits;
  return {
    ...files.routerConfig,
    agent: existing(agents.values().next().value),
    agents,
    agentFor: (conversation) => existing(agents.get(botOf(conversation).agent)),
    store,
    stateDir,
    workspaceFor: (conversation, turn) => places.workspaceFor(conversation, turn),
    lockWorkspace,
    roleOf: (user, conversation) => people.roleOf({ ...placeOf(conversation), user }),
    permissionPolicy: (conversation, toolKind) => {
      const workspace = places.projects.current(conversation);
      const { permissions } = settings.workspaces[workspace] ?? { permissions: "deny" };
      const own = policies.get(conversation, Date.now())?.policy;
      return own ?? people.policyOf(workspace) ?? policyFor(permissions, toolKind);
    },
    busyPolicy: (conversation) => botOf(conversation).settings.busyPolicy ?? "queue",
    turnLimits: turnMinutes === undefined ? {} : { turnCeilingMs: turnMinutes * 60_000 },
    systemPromptProvider: (conversation) => readSystemPrompt(botOf(conversation).settings),
    authErrorHint: (conversation) => {
      const { agent, settings } = botOf(conversation);
      const methods = methodsOf({ authMethods: agents.get(agent)?.authMethods ?? [] });
      return settings.authErrorHint ?? replies.loginHint(methods);
    },
    mayChoose: (choice) => people.mayChoose(choice),
    allowedCommands: (conversation, user) => people.commandsOf({ ...placeOf(conversation), user }),
    admitTurn: (start) => people.admitTurn(start),
    onReport: (report) => {
      noteEnd(people, report, log);
      records.report(report);
    },
    onMetric: (metric) => {
      noteSpending(people, metric, log);
      records.metrics.take(metric);
    },
    sessionServers,
  };
}

/** The bot that a conversation's key names. */
export function findBot({ bots }: Pick<Settings, "bots">, conversation: string): SurfaceBot {
  const { bot: name } = parseConversationKey(conversation);
  return existing(bots.find((bot) => bot.name === name));
}

/** Longest file of standing instructions that is read, in characters. */
const MAX_PROMPT_CHARS = 50_000;

/** Read anew for each session: what the file says may have changed. */
function readSystemPrompt({ systemPrompt = "", systemPromptFile: file }: Bot): string {
  if (file === undefined) return systemPrompt;
  return `${systemPrompt}\n${readFileSync(file, "utf8").slice(0, MAX_PROMPT_CHARS)}`.trim();
}

/** What cannot be counted costs nobody an answer. */
function noteEnd({ usage }: People, report: RouterReport, log: Log): void {
  if (report.kind !== "turn-ended") return;
  try {
    usage.end(report.turn);
  } catch (err) {
    log.error({ err }, "the end of a turn could not be counted");
  }
}

function noteSpending({ usage }: People, metric: RouterMetric, log: Log): void {
  if (metric.kind !== "spent") return;
  try {
    usage.spend(metric);
  } catch (err) {
    log.error({ err }, "what a turn has used could not be counted");
  }
}

/** Settings are consistent: whatever a bot names is there. */
function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("a conversation names a bot that is not configured");
  return value;
}
