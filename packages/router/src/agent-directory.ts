import type { Agent } from "./agent.ts";
import { hashId } from "./divergence.ts";

/** The agents that a conversation can use. */
export type AgentDirectory = {
  /** The one that is used unless another is chosen. */
  readonly preset: Agent;
  /** Those that can be chosen, by name. */
  readonly named: ReadonlyMap<string, Agent>;
};

/** An agent and its name; the preset one has an empty name unless it is listed. */
export type NamedAgent = { readonly name: string; readonly agent: Agent };

/** An agent as it serves somebody. */
export type ServingAgent = NamedAgent & {
  /** Under which its session is kept: see {@link sessionKey}. */
  readonly key: string;
  /** The only one whom it serves; absent: it serves all. */
  readonly person?: string;
};

/** The agent that was chosen, or the preset one where nothing was chosen or the chosen one is gone. */
export function findAgent({ preset, named }: AgentDirectory, chosen?: string): NamedAgent {
  const agent = chosen === undefined ? undefined : named.get(chosen);
  if (chosen !== undefined && agent) return { name: chosen, agent };
  const [name = ""] = [...named].find(([, one]) => one === preset) ?? [];
  return { name, agent: preset };
}

/** The agent as it serves this person: by a process of theirs, where it does so. */
export function serve({ name, agent }: NamedAgent, user: string): ServingAgent {
  const key = sessionKey({ name, agent }, user);
  const own = agent.forPerson?.(user);
  return own ? { name, key, agent: own, person: user } : { name, key, agent };
}

/** Whether an agent may be given a person's words: who has one alone would pay for them, and do them in their own name. */
export function serves({ person }: ServingAgent, user: string): boolean {
  return person === undefined || person === user;
}

/** Under which an agent's session is kept that serves a person: its name, unless each person has one of their own. */
export function sessionKey({ name, agent }: NamedAgent, user: string): string {
  return agent.forPerson ? `${name}/${hashId(user)}` : name;
}

/** Name of the agent that a session's key is about. */
export function agentOfSession(key: string): string {
  return key.replace(/\/[A-Za-z0-9_-]{16}$/, "");
}
