/** Something that can be chosen, with what people call it. */
type Listed = { readonly id: string; readonly name: string };

/** A setting of an agent's sessions beside model, mode and thinking. */
export type OfferedSetting = Listed & {
  /** What can be chosen, in the agent's order; empty for a switch. */
  readonly values: readonly Listed[];
  /** What a session begins with, where the agent says it. */
  readonly current?: string | boolean;
};

/** What an agent offers in any session. */
export type AgentOffer = {
  /** In the agent's order. */
  readonly models: readonly Listed[];
  /** Absent where it has none. */
  readonly modes?: readonly Listed[];
  /** The model that it uses unasked; empty when it does not say. */
  readonly currentModel: string;
  /** The mode that a session begins with. */
  readonly currentMode?: string;
  /** In the agent's order. */
  readonly settings?: readonly OfferedSetting[];
};

/** What agents offer, as far as they have said it. */
export type AgentOffers = {
  of(agent: string): AgentOffer | undefined;
  /** Called when an agent's offer has become known, or has changed. */
  onChange(listener: (agent: string) => void): Disposable;
};
