import type { Args } from "./args.ts";
import { SlackFailure } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";
import type { Methods } from "./method.ts";
import { readSessionStatus } from "./stream-methods.ts";
import { threadKey, type Workspace } from "./workspace.ts";

/** Status, title and prompts of a thread, and its session. */
export const agentMethods: Methods = {
  "assistant.threads.setStatus": {
    rate: "free",
    scope: "chat:write",
    run(workspace, args) {
      const { key } = readThreadKey(workspace, args);
      const text = args.text("status");
      const loading = readLoading(args);
      if (text === "") workspace.statuses.delete(key);
      else workspace.statuses.set(key, { text, loading, since: workspace.now() });
      return {};
    },
  },
  "assistant.threads.setTitle": {
    rate: 4,
    scope: "assistant:write",
    run(workspace, args) {
      needAgent(workspace, "not_agent_app");
      const { key } = readThreadKey(workspace, args);
      const title = args.required("title");
      const before = workspace.sessions.get(key);
      workspace.sessions.set(key, { status: "active", since: workspace.now(), ...before, title });
      return {};
    },
  },
  "assistant.threads.setSuggestedPrompts": {
    rate: 4,
    scope: "assistant:write",
    run(workspace, args) {
      needAgent(workspace, "not_agent_app");
      readThreadKey(workspace, args);
      const prompts = args.list("prompts", "invalid_arguments");
      if (
        prompts.some(
          (each) => typeof each["title"] !== "string" || typeof each["message"] !== "string",
        )
      ) {
        throw new SlackFailure("invalid_arguments");
      }
      return {};
    },
  },
  "agents.sessions.setStatus": {
    rate: 3,
    scope: "chat:write",
    run(workspace, args) {
      needAgent(workspace, "not_authorized");
      const { key } = readThreadKey(workspace, args);
      const status = readSessionStatus(args.required("status"));
      const title = args.text("title");
      if (countChars(title) > SLACK_LIMITS.sessionTitleChars)
        throw new SlackFailure("invalid_arguments");
      const before = workspace.sessions.get(key);
      workspace.sessions.set(key, {
        ...before,
        status,
        since: workspace.now(),
        // A title counts only when the session is made.
        ...(!before && title !== "" && { title }),
        ...(args.has("initiator_user_id") && { initiator: args.text("initiator_user_id") }),
      });
      workspace.statuses.delete(key);
      const isDeaf = !workspace.settings.app.events.includes("agent_session_stopped");
      return status === "processing" && isDeaf
        ? { warning: "missing_agent_session_stopped_event_subscription" }
        : {};
    },
  },
  "agents.sessions.rename": {
    rate: 3,
    scope: "chat:write",
    run(workspace, args) {
      needAgent(workspace, "not_authorized");
      const { key } = readThreadKey(workspace, args);
      const title = args.required("title");
      const session = workspace.sessions.get(key);
      if (!session) throw new SlackFailure("session_not_found");
      if (countChars(title) > SLACK_LIMITS.sessionTitleChars)
        throw new SlackFailure("invalid_arguments");
      session.title = title;
      return {};
    },
  },
};

/** The free status of a thread, unless it has vanished. */
export function findStatus(
  workspace: Workspace,
  channel: string,
  threadTs: string,
): string | undefined {
  const status = workspace.statuses.get(threadKey(channel, threadTs));
  const isOver = status && workspace.now() - status.since >= SLACK_LIMITS.statusLifeMs;
  return isOver ? undefined : status?.text;
}

function readThreadKey(workspace: Workspace, args: Args): { readonly key: string } {
  const channel = workspace.channel(args.required("channel_id", "channel_not_found"));
  const threadTs = args.required("thread_ts", "invalid_thread_ts");
  if (!workspace.find(channel.id, threadTs)) throw new SlackFailure("invalid_thread_ts");
  return { key: threadKey(channel.id, threadTs) };
}

function needAgent({ settings }: Workspace, otherwise: string): void {
  if (!settings.app.isAgent) throw new SlackFailure(otherwise);
}

function readLoading(args: Args): readonly string[] {
  const messages = args.json("loading_messages") ?? [];
  const isFine =
    Array.isArray(messages) &&
    messages.length <= SLACK_LIMITS.loadingMessages &&
    messages.every(
      (each) => typeof each === "string" && countChars(each) <= SLACK_LIMITS.loadingMessageChars,
    );
  if (!isFine) throw new SlackFailure("invalid_arguments");
  return messages;
}
