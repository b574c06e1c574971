import type { HeardMessage } from "../intake/heard.ts";

/** Conversations in which something that was missed is taken up; of more the latest. */
export const MAX_CAUGHT_UP = 50;

/** Messages of one conversation that are taken up together; of more the newest. */
const MAX_TOGETHER = 50;

/** Conversations, in which nothing was ever heard, that are looked into; of more the first. */
const MAX_UNHEARD = 100;

/** So many of them are read before what was found there is answered: about as many as Slack allows in a minute. */
const UNHEARD_TOGETHER = 25;

/** Which conversations are looked into because nothing was ever heard there, in which order. Pure. */
export function planUnheard(
  channels: readonly string[],
  isKnown: (channel: string) => boolean,
): readonly (readonly string[])[] {
  const unheard = [...new Set(channels)].filter((channel) => !isKnown(channel));
  const most = unheard.slice(0, MAX_UNHEARD);
  const groups = Map.groupBy(most.entries(), ([at]) => Math.floor(at / UNHEARD_TOGETHER));
  return [...groups.values()].map((group) => group.map(([, channel]) => channel));
}

/** What was missed in one conversation. */
export type MissedTurn = {
  readonly conversation: string;
  /** Oldest first; the last one is answered, the others are told with it. */
  readonly messages: readonly HeardMessage[];
};

/** One turn for each conversation, the one that waits longest first. Pure. */
export function planCatchUp(
  missed: readonly { readonly conversation: string; readonly message: HeardMessage }[],
): readonly MissedTurn[] {
  const sorted = missed.toSorted((one, other) => Number(one.message.ts) - Number(other.message.ts));
  const turns = Map.groupBy(sorted, ({ conversation }) => conversation);
  return [...turns]
    .map(([conversation, all]) => ({
      conversation,
      messages: all.map(({ message }) => message).slice(-MAX_TOGETHER),
    }))
    .toSorted((one, other) => newest(one) - newest(other))
    .slice(-MAX_CAUGHT_UP);
}

function newest({ messages }: MissedTurn): number {
  return Number(messages.at(-1)?.ts ?? 0);
}
