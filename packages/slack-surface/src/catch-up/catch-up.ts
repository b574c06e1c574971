import { parseConversationKey } from "@acp-kit/relay";
import { createReference } from "@acp-kit/router";
import { FOLLOW_MS } from "../intake/follow.ts";
import type { HeardMessage } from "../intake/heard.ts";
import type { Verdict } from "../intake/verdict.ts";
import { listConversations } from "./list-conversations.ts";
import { type Missed, MissedTurns, type MissedTurnsParts } from "./missed-turns.ts";
import { planCatchUp, planThreads, type ReadChannel } from "./plan-catch-up.ts";
import { readMissed } from "./read-missed.ts";
import type { OwedChannel, SeenMarks } from "./seen-marks.ts";

/** So many channels are read before what was found there is answered: about as many as Slack allows in a minute. */
const TOGETHER = 25;

/** Threads that are followed, of many the latest, of which it is looked whether something was missed there. */
const MAX_FOLLOWED = 500;

/** From so many channels on the operator is told that it takes a while. */
const MANY = 100;

export type CatchUpParts = MissedTurnsParts & {
  readonly marks: SeenMarks;
  readonly signal: AbortSignal;
  /** Told what became of what was missed. */
  readonly note: (verdict: Verdict) => void;
  /** One after the other in each thread, what comes in meanwhile included. */
  readonly inThread: <T>(
    message: Pick<HeardMessage, "place">,
    work: () => Promise<T>,
  ) => Promise<T>;
};

/**
 * One look for what people have said while nobody heard: into all channels that are owed one and, where those are that
 * were never heard, into all that the bot is in. It is answered with its age, one turn for each conversation. What was
 * heard already is known by its key. What cannot be read, or not be taken, stays owed.
 */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { workspace, marks, signal } = parts;
  const begun = workspace.context.now();
  const tried = new Set<string>();
  const asked = marks.owesUnheard ? listConversations(workspace) : undefined;
  await lookInto(parts, tried);
  const listed = await asked;
  if (listed) {
    marks.oweUnheard(listed.channels);
    if (listed.isCut) warn(parts, {}, "Slack has more conversations than are looked into");
    await lookInto(parts, tried);
  }
  if (!signal.aborted && listed?.isWhole !== false) marks.payUnheard(begun);
}

/** @param tried - Channels that were looked into before, and those that now are. */
async function lookInto(parts: CatchUpParts, tried: Set<string>): Promise<void> {
  const { marks, signal, workspace } = parts;
  const owed = marks.owed.filter(({ channel }) => !tried.has(channel));
  if (owed.length >= MANY) {
    const { context, bot } = workspace;
    const detail = { bot: bot.name, conversations: owed.length };
    context.log.info(detail, "looks for what was missed; Slack allows about 25 of them a minute");
  }
  for (let from = 0; from < owed.length && !signal.aborted; from += TOGETHER) {
    const some = owed.slice(from, from + TOGETHER);
    for (const { channel } of some) tried.add(channel);
    await lookIntoSome(parts, some);
  }
}

async function lookIntoSome(parts: CatchUpParts, owed: readonly OwedChannel[]): Promise<void> {
  const { workspace, marks, signal } = parts;
  const begun = workspace.context.now();
  const turns = new MissedTurns(parts);
  const newest = new Map<string, string>();
  const unread = new Set<string>();
  const read = async (place: OwedChannel & { readonly thread?: string }) => {
    const { channel } = place;
    const found = await readMissed(workspace, place);
    if (found.kind === "later") unread.add(channel);
    if (found.kind !== "read") return undefined;
    if (!found.isWhole) warn(parts, { channel }, "more was missed than is read of a conversation");
    const last = newest.get(channel) ?? "";
    if ((found.newest ?? "") > last) newest.set(channel, found.newest ?? "");
    return { ...found, missed: turns.findUnheard(found.messages, channel) };
  };
  const channels: ReadChannel[] = [];
  const missed: Missed[] = [];
  for (const { channel, after } of owed) {
    if (signal.aborted) return;
    const found = await read({ channel, after });
    if (found) channels.push({ channel, after, heads: found.heads });
    missed.push(...(found?.missed ?? []));
  }
  await take(parts, turns, missed.splice(0), unread);
  // To look into many threads takes minutes of what Slack allows: what was said in channels does not wait for that.
  const { threads, left } = planThreads(channels, followedThreads(parts));
  if (left > 0) warn(parts, { threads: left }, "threads are not looked into for what was missed");
  for (const thread of threads) {
    if (signal.aborted) return;
    missed.push(...((await read(thread))?.missed ?? []));
  }
  await take(parts, turns, missed, unread);
  if (signal.aborted) return;
  for (const { channel } of owed) {
    if (!unread.has(channel)) marks.pay(channel, begun, newest.get(channel));
  }
}

/** @param unread - Channels into which it has to be looked again. */
async function take(
  parts: CatchUpParts,
  turns: MissedTurns,
  missed: readonly Missed[],
  unread: Set<string>,
): Promise<void> {
  const { workspace, signal, note, inThread } = parts;
  const plan = planCatchUp(missed);
  for (const turn of plan.left) note(turns.leave(turn));
  for (const turn of plan.turns) {
    const last = turn.messages.at(-1);
    if (signal.aborted || !last) return;
    try {
      const { comesAgain, ...verdict } = await inThread(last, () => turns.take(turn));
      if (comesAgain) unread.add(last.place.channel);
      note(verdict);
    } catch (error) {
      // One that fails keeps none of the others.
      unread.add(last.place.channel);
      const { journal } = workspace.context;
      journal.fail({ ref: createReference(), what: "slack missed message", error });
      note({
        conversation: turn.conversation,
        message: last.key,
        decision: "drop",
        reason: "failed",
      });
    }
  }
}

function followedThreads({ workspace }: CatchUpParts) {
  const { heard, context } = workspace;
  const since = context.now() - FOLLOW_MS;
  return heard.activeSince(since, MAX_FOLLOWED).flatMap((conversation) => {
    const [, channel, thread] = parseConversationKey(conversation).id.split("/");
    return channel === undefined || thread === undefined ? [] : [{ channel, thread }];
  });
}

function warn({ workspace }: CatchUpParts, detail: object, text: string): void {
  const { context, bot } = workspace;
  context.log.warn({ bot: bot.name, ...detail }, text);
}
