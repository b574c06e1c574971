import type { HeardMessage } from "../intake/heard.ts";
import type { MissedPlace, ThreadHead } from "./read-missed.ts";

/** Conversations in which something that was missed is taken up at once; of more the latest. */
export const MAX_CAUGHT_UP = 50;

/** Messages of one conversation that are taken up together; of more the newest. */
const MAX_TOGETHER = 50;

/** Threads into which it is looked at once; of more the latest. */
const MAX_THREADS = 50;

/** What was missed in one conversation. */
export type MissedTurn = {
  readonly conversation: string;
  /** Oldest first; the last one is answered, the others are told with it. */
  readonly messages: readonly HeardMessage[];
};

export type CatchUpPlan = {
  readonly turns: readonly MissedTurn[];
  /** Too many to be taken up: the oldest. */
  readonly left: readonly MissedTurn[];
};

/** One turn for each conversation, the one that waits longest first. Pure. */
export function planCatchUp(
  missed: readonly { readonly conversation: string; readonly message: HeardMessage }[],
): CatchUpPlan {
  const sorted = missed.toSorted((one, other) => Number(one.message.ts) - Number(other.message.ts));
  const all = [...Map.groupBy(sorted, ({ conversation }) => conversation)]
    .map(([conversation, some]) => ({
      conversation,
      messages: some.map(({ message }) => message).slice(-MAX_TOGETHER),
    }))
    .toSorted((one, other) => newest(one) - newest(other));
  const left = Math.max(0, all.length - MAX_CAUGHT_UP);
  return { turns: all.slice(left), left: all.slice(0, left) };
}

/** A channel that was looked into. */
export type ReadChannel = {
  readonly channel: string;
  readonly after: string;
  readonly heads: readonly ThreadHead[];
};

export type ThreadPlan = {
  readonly threads: readonly (MissedPlace & { readonly thread: string })[];
  /** How many there are too many. */
  readonly left: number;
};

/**
 * Which threads of channels are looked into: those in which something was said since, the latest first, and then those
 * that are followed and begin before all that was read of their channel. Pure.
 *
 * @param followed - Those that were active last first.
 */
export function planThreads(
  channels: readonly ReadChannel[],
  followed: readonly { readonly channel: string; readonly thread: string }[],
): ThreadPlan {
  const active = channels
    .flatMap(({ channel, after, heads }) =>
      heads.flatMap(({ thread, latest = "" }) =>
        Number(latest) > Number(after) ? [{ place: { channel, thread, after }, latest }] : [],
      ),
    )
    .toSorted((one, other) => Number(other.latest) - Number(one.latest))
    .map(({ place }) => place);
  const read = new Map(channels.map((each) => [each.channel, each]));
  const unknown = followed.flatMap(({ channel, thread }) => {
    const { after, heads } = read.get(channel) ?? {};
    if (after === undefined || heads?.some((head) => head.thread === thread)) return [];
    return [{ channel, thread, after }];
  });
  const all = [...active, ...unknown];
  const threads = all.slice(0, MAX_THREADS);
  return { threads, left: all.length - threads.length };
}

function newest({ messages }: MissedTurn): number {
  return Number(messages.at(-1)?.ts ?? 0);
}
