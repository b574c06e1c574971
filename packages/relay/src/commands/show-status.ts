import type { KnownSetting } from "@acp-kit/router";
import {
  type CommandCall,
  type CommandHost,
  type CommandMessage,
  type CommandOutcome,
  reply,
} from "./command-context.ts";
import { formatStatus, type Shown } from "./format-status.ts";
import { labelOf, readLabels } from "./read-labels.ts";
import { readNewest } from "./read-newest.ts";

/** `!status`: reads what is known, and neither starts nor writes anything. */
export async function showStatus({ host, message }: CommandCall): Promise<CommandOutcome> {
  const { router, logins, policies } = host;
  const { conversation, user, at } = message;
  const [state, open, grants] = await Promise.all([
    router.describe(conversation, user),
    router.openTurns(conversation),
    router.grants(user),
  ]);
  const bot = host.bots.get(message.bot);
  const agent = state.agent || (bot?.agent ?? "");
  const info = host.agents.get(agent)?.info;
  const running = open.find(({ started }) => started);
  const labels = await readLabels(readNewest(router, conversation), running ? [running] : []);
  const shown = (name: string) => describeSetting(state.settings.get(name), user);
  const policy = policies.get(conversation, at);
  const login = logins.pending(conversation, at);
  return reply(
    formatStatus({
      agent,
      agentVersion: info && `${info.name} ${info.version}`,
      model: shown("model"),
      mode: shown("mode"),
      project: host.projects?.current(conversation) ?? bot?.workspace ?? "",
      pause: host.people?.pause?.reason,
      running: running && labelOf(labels, running.turn),
      waiting: open.filter(({ started }) => !started).length,
      hasSession: state.session !== undefined,
      contextUse: state.contextUse,
      grants: grants.length,
      policy: policy && { policy: policy.policy, forMs: remaining(policy.until, at) },
      login: login && login.expiresAt > at && login.user === user ? "waits" : undefined,
      lastError: await findLastError(host, message),
      relay: host.relay,
    }),
  );
}

/** The reference of the newest failure, and how long ago that was. */
async function findLastError({ router }: CommandHost, { conversation, at }: CommandMessage) {
  let found: { ref: string; agoMs: number } | undefined;
  for await (const event of readNewest(router, conversation)) {
    const outcome = event.kind === "turn-end" ? event.outcome : undefined;
    const ref = outcome && "ref" in outcome ? outcome.ref : undefined;
    if (ref !== undefined) found = { ref, agoMs: Math.max(0, at - event.at) };
  }
  return found;
}

function describeSetting(setting: KnownSetting | undefined, user: string): Shown {
  const { current, wanted, by } = setting ?? {};
  const value = wanted ?? current;
  const isNext = wanted !== undefined && current !== undefined && wanted !== current;
  const shown = { ...(value !== undefined && { value: String(value) }), isNext };
  if (wanted === undefined || by === "") return { ...shown, by: "nobody" };
  if (by === undefined) return { ...shown, by: "agent" };
  return { ...shown, by: by === user ? "you" : "somebody" };
}

export function remaining(until: number | undefined, now: number): number | undefined {
  return until === undefined ? undefined : until - now;
}
