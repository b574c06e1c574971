import type { Agent, RouterConfig, RouterReport, Store } from "@acp-kit/router";
import type { Access } from "./access.ts";
import { parseConversationKey } from "./conversation-key.ts";
import type { Files } from "./files/create-files.ts";
import { hashId, type Log } from "./log.ts";
import type { Settings } from "./settings.ts";
import type { SurfaceBot } from "./surface.ts";
import { createWorkspaceLocks } from "./workspace-locks.ts";
import type { Workspaces } from "./workspaces.ts";

export type RouterConfigOptions = {
  readonly settings: Settings;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly workspaces: Workspaces;
  readonly files: Files;
  readonly access: Access;
  readonly store: Store;
  readonly stateDir: string;
  readonly log: Log;
};

/** Answers the router's questions about a conversation by the bot that its key names. */
export function createRouterConfig(options: RouterConfigOptions): RouterConfig {
  const { settings, agents, workspaces, files, access, store, stateDir, log } = options;
  const botOf = (conversation: string) => findBot(settings, conversation);
  return {
    ...files.routerConfig,
    agent: existing(agents.values().next().value),
    agents,
    agentFor: (conversation) => existing(agents.get(botOf(conversation).agent)),
    store,
    stateDir,
    workspaceFor: (conversation) =>
      workspaces.workspaceFor(botOf(conversation).workspace, conversation),
    lockWorkspace: createWorkspaceLocks(stateDir),
    roleOf: (user, conversation) => access.roleOf({ bot: botOf(conversation).name, user }),
    permissionPolicy: (conversation) =>
      existing(settings.workspaces[botOf(conversation).workspace]).permissions,
    onReport: (report) => logReport(log, report),
  };
}

/** The bot that a conversation's key names. */
export function findBot({ bots }: Pick<Settings, "bots">, conversation: string): SurfaceBot {
  const { bot: name } = parseConversationKey(conversation);
  return existing(bots.find((bot) => bot.name === name));
}

/** Settings are consistent: whatever a bot names is there. */
function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("a conversation names a bot that is not configured");
  return value;
}

function logReport(log: Log, report: RouterReport): void {
  switch (report.kind) {
    case "turn-ended": {
      const { turn, outcome, durationMs, detail } = report;
      const conversation = hashId(report.conversation);
      log.info({ conversation, turn, outcome, durationMs, detail }, "turn ended");
      return;
    }
    case "agent-exited": {
      const { code, signal, stderrTail } = report;
      log.warn({ code, signal, stderrTail }, "agent exited");
      return;
    }
    case "file-sent": {
      const { turn, file, bytes, sha256 } = report;
      const conversation = hashId(report.conversation);
      log.info({ conversation, turn, file, bytes, sha256 }, "a file of the agent was sent");
      return;
    }
    case "file-refused": {
      const { turn, file, reason } = report;
      const conversation = hashId(report.conversation);
      log.warn({ conversation, turn, file, reason }, "a file of the agent was not sent");
      return;
    }
    case "clamped":
      log.warn({ what: report.text }, "a setting cannot be kept");
      return;
    case "failure":
      log.error(
        {
          ref: report.ref,
          conversation: hashId(report.conversation),
          what: report.what,
          err: report.error,
        },
        "something failed in a conversation",
      );
      return;
    case "turn-interrupted": {
      const { ref, turn } = report;
      log.warn({ ref, conversation: hashId(report.conversation), turn }, "a turn was interrupted");
      return;
    }
    case "question-ended":
      return;
  }
}
