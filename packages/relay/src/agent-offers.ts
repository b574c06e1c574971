/** What an agent offers in any session. */
export type AgentOffer = {
  /** In the agent's order. */
  readonly models: readonly { readonly id: string; readonly name: string }[];
  /** Absent where it has none. */
  readonly modes?: readonly { readonly id: string; readonly name: string }[];
  /** What it uses unasked; empty when it does not say. */
  readonly currentModel: string;
};

/** What agents offer, as far as they have been asked. */
export type AgentOffers = {
  of(agent: string): AgentOffer | undefined;
  /** Called when an agent's offer has become known, or has changed. */
  onChange(listener: (agent: string) => void): Disposable;
};
