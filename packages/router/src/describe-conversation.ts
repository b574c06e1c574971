import type { ServingAgent } from "./agent-directory.ts";
import type { ConversationRecord } from "./session-record.ts";
import type { SessionSetting } from "./session-settings.ts";
import type { Attached } from "./session-slot.ts";

/** A setting of a conversation, as far as it is known. */
export type KnownSetting = {
  /** What runs now; absent while no session is attached here. */
  readonly current?: string | boolean;
  /** What the agent's session here had before anything was chosen. */
  readonly initial?: string | boolean;
  /** What was chosen: it holds from the next turn on. */
  readonly wanted?: string | boolean;
  /** The person who chose it; empty for a default, absent where the agent changed it by itself. */
  readonly by?: string;
  /** Values that can be chosen, in the agent's order; empty while they are not known. */
  readonly available: readonly string[];
  /** What people call those of them that the agent gives another name than their value. */
  readonly names?: Readonly<Record<string, string>>;
};

/** What is known of a conversation without asking its agent anything. */
export type ConversationState = {
  /** Name of the agent that the next turn uses; empty for one without a name. */
  readonly agent: string;
  /** Somebody has chosen that agent here. */
  readonly isAgentChosen: boolean;
  /** The session that the next turn goes on with, if there is one. */
  readonly session?: string;
  /** `model`, `mode`, `thinking` and the agent's other config options. */
  readonly settings: ReadonlyMap<string, KnownSetting>;
  /** Names of the commands that the agent offers in its attached session, as it sent them. */
  readonly commands: readonly string[];
  /** How full the context window is, 0 to 1. */
  readonly contextUse?: number;
};

/** Puts together what is kept of a conversation and what its attached session says. Pure. */
export function describeConversation(
  record: ConversationRecord,
  { name, key }: Pick<ServingAgent, "name" | "key">,
  attached: Attached | undefined,
): ConversationState {
  const kept = record.sessions[key];
  const wanted = record.wanted[name] ?? {};
  const by = record.wantedBy?.[name] ?? {};
  const session = attached?.session ?? kept?.session;
  const contextUse = attached?.live.contextUse ?? kept?.contextUse;
  const names = new Set([...(attached?.settings.keys() ?? []), ...Object.keys(wanted)]);
  return {
    agent: name,
    isAgentChosen: record.agent === name,
    ...(session !== undefined && { session }),
    settings: new Map(
      [...names].map((one) => [
        one,
        {
          ...knownSetting(attached?.settings.get(one), wanted[one], by[one]),
          ...(kept?.initial[one] !== undefined && { initial: kept.initial[one] }),
        },
      ]),
    ),
    commands: attached?.live.commands ?? [],
    ...(contextUse !== undefined && { contextUse }),
  };
}

function knownSetting(
  setting: SessionSetting | undefined,
  wanted: string | boolean | undefined,
  by: string | undefined,
): KnownSetting {
  const { current, available = [], names } = setting ?? {};
  return {
    available,
    ...(names !== undefined && { names }),
    ...(current !== undefined && { current }),
    ...(wanted !== undefined && { wanted }),
    ...(by !== undefined && { by }),
  };
}
