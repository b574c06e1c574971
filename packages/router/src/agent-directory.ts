import type { Agent } from "./agent.ts";

/** The agents that a conversation can use. */
export type AgentDirectory = {
  /** The one that is used unless another is chosen. */
  readonly preset: Agent;
  /** Those that can be chosen, by name. */
  readonly named: ReadonlyMap<string, Agent>;
};

/** An agent and the name under which its session is kept; the preset one has an empty name unless it is listed. */
export type NamedAgent = { readonly name: string; readonly agent: Agent };

/** The agent that was chosen, or the preset one where nothing was chosen or the chosen one is gone. */
export function findAgent({ preset, named }: AgentDirectory, chosen?: string): NamedAgent {
  const agent = chosen === undefined ? undefined : named.get(chosen);
  if (chosen !== undefined && agent) return { name: chosen, agent };
  const [name = ""] = [...named].find(([, one]) => one === preset) ?? [];
  return { name, agent: preset };
}
