type Awaitable<T> = T | Promise<T>;

/**
 * What shows one prompt's answer: the push-style view of a turn, for surfaces that keep no place in the log.
 *
 * Order: `setProviderEmoji` at most once, before any text; `firstChunk` exactly once, at the agent's first non-empty
 * update, hidden ones included; `done` exactly once and last, also after `error`. A method that throws detaches the
 * sink; the turn runs on.
 */
export interface ChunkSink {
  /** Appends to what was shown. */
  text(text: string): Awaitable<void>;
  /** Replaces all that was shown. */
  replace(text: string): Awaitable<void>;
  error(text: string, errorType: string): Awaitable<void>;
  done(): Awaitable<void>;
  firstChunk(): void;
  /** Empty: the provider is unknown, drop the segment. */
  setProviderEmoji(emoji: string): void;
  /** The newest mood and plan; an empty string drops the segment. */
  setStatus(mood: string, plan: string): void;
}
