/** Something that can be chosen, with what people call it. */
type Listed = { readonly id: string; readonly name: string };

/** What an agent offers in any session. */
export type AgentOffer = {
  /** In the agent's order. */
  readonly models: readonly Listed[];
  /** Absent where it has none. */
  readonly modes?: readonly Listed[];
  /** The model that it uses unasked; empty when it does not say. */
  readonly currentModel: string;
};

/** What agents offer, as far as they have said it. */
export type AgentOffers = {
  of(agent: string): AgentOffer | undefined;
  /** Called when an agent's offer has become known, or has changed. */
  onChange(listener: (agent: string) => void): Disposable;
};
