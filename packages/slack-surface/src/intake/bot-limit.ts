/** Messages of other bots that are answered in a conversation in a row: then a person has to say something. */
export const MAX_BOT_MESSAGES = 5;

/** Conversations that are counted; of more the oldest count is forgotten. */
const MAX_COUNTED = 1_000;

/** Keeps bots from answering each other for ever. */
export class BotLimit {
  readonly #inRow = new Map<string, Set<string>>();

  /** A person has spoken: bots may again. */
  reset(conversation: string): void {
    this.#inRow.delete(conversation);
  }

  /** Whether a bot's message is one too many. The same one counts once. */
  isReached(conversation: string, key: string): boolean {
    const keys = this.#inRow.get(conversation) ?? new Set();
    if (keys.has(key)) return false;
    if (keys.size >= MAX_BOT_MESSAGES) return true;
    this.#inRow.delete(conversation);
    this.#inRow.set(conversation, keys.add(key));
    const [oldest] = this.#inRow.keys();
    if (this.#inRow.size > MAX_COUNTED && oldest !== undefined) this.#inRow.delete(oldest);
    return false;
  }
}
