/** Whose conversation it is: part of every key, so that two bots never share one. */
export type ConversationKey = {
  readonly surface: string;
  /** Name of the bot in the configuration; without a slash. */
  readonly bot: string;
  /** The platform's own id, as it came. */
  readonly id: string;
};

/** The router's name of a conversation. */
export function formatConversationKey({ surface, bot, id }: ConversationKey): string {
  return `${surface}/${bot}/${id}`;
}

/** @throws TypeError for text that {@link formatConversationKey} did not make. */
export function parseConversationKey(key: string): ConversationKey {
  const [, surface, bot, id] = /^([^/]+)\/([^/]+)\/(.*)$/s.exec(key) ?? [];
  if (surface === undefined || bot === undefined || id === undefined) {
    throw new TypeError(`not a conversation key: ${key.slice(0, 80)}`);
  }
  return { surface, bot, id };
}
