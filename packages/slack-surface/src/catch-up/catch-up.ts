import { isAside, parseConversationKey } from "@acp-kit/relay";
import type { Turn } from "@acp-kit/router";
import type { WireMessage } from "../intake/event-schema.ts";
import { FOLLOW_MS, isForBot } from "../intake/follow.ts";
import type { HeardMessage } from "../intake/heard.ts";
import type { Messages, MessagesParts } from "../intake/messages.ts";
import { findTs, parseHistoryMessage } from "../intake/parse-event.ts";
import type { Verdict } from "../intake/verdict.ts";
import { words } from "../intake/words.ts";
import { formatAge } from "./format-age.ts";
import { listConversations } from "./list-conversations.ts";
import { type MissedTurn, planCatchUp, planUnheard } from "./plan-catch-up.ts";
import { type MissedPlace, readMissed } from "./read-missed.ts";
import { OVERLAP_S, type SeenMarks } from "./seen-marks.ts";

/** Followed threads, of many the latest, in which it is looked for what was missed. */
const MAX_THREADS = 50;

export type CatchUpParts = MessagesParts & {
  readonly messages: Messages;
  readonly marks: SeenMarks;
};

type Look = {
  readonly signal: AbortSignal;
  readonly note: (verdict: Verdict) => void;
  /** Channels into which the next start has to look again. */
  readonly unread: Set<string>;
};

/**
 * What people have said while nobody heard: looked for where something was heard before, and since the bot was here last
 * in all conversations that it is in. It is answered with its age, one turn for each conversation. What was heard already
 * is known by its key.
 */
export class CatchUp {
  readonly #parts: CatchUpParts;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** @param note - Told what became of what was missed. */
  async run(signal: AbortSignal, note: (verdict: Verdict) => void): Promise<void> {
    const { workspace, marks } = this.#parts;
    const unread = new Set<string>();
    const look: Look = { signal, note, unread };
    const { channels, threads } = this.#places();
    const begun = (workspace.context.now() / 1_000).toFixed(6);
    const asked = this.#unheardPlaces();
    await this.#look(channels, look);
    const { groups, isWhole } = await asked;
    for (const places of groups) await this.#look(places, look);
    // To look into many threads takes minutes of what Slack allows: what was said in channels does not wait for that.
    await this.#look(threads, look);
    if (signal.aborted) return;
    // For the others the next start looks again.
    for (const channel of marks.held.keys()) if (!unread.has(channel)) marks.letGo(channel);
    const isRead = groups.flat().every(({ channel }) => !unread.has(channel));
    if (isWhole && isRead) marks.here(begun);
  }

  async #look(places: readonly MissedPlace[], { signal, note, unread }: Look): Promise<void> {
    const missed: { conversation: string; message: HeardMessage }[] = [];
    for (const place of places) {
      if (signal.aborted) return;
      const found = await readMissed(this.#parts.workspace, place);
      if (found.kind === "later") unread.add(place.channel);
      if (found.kind === "read") missed.push(...this.#findUnheard(found.messages, place.channel));
    }
    for (const turn of planCatchUp(missed)) {
      if (signal.aborted) return;
      const { comesAgain, ...verdict } = await this.#take(turn);
      if (comesAgain) unread.add(turn.messages.at(-1)?.place.channel ?? "");
      note(verdict);
    }
  }

  /** Conversations in which nothing was ever heard: none for a bot that is new, which has missed nothing. */
  async #unheardPlaces(): Promise<{
    groups: readonly (readonly MissedPlace[])[];
    isWhole: boolean;
  }> {
    const { workspace, marks } = this.#parts;
    const after = marks.hereUntil;
    if (after === undefined) return { groups: [], isWhole: true };
    const { channels, isWhole } = await listConversations(workspace);
    const groups = planUnheard(channels, (channel) => marks.isKnown(channel));
    return {
      groups: groups.map((group) => group.map((channel) => ({ channel, after }))),
      isWhole,
    };
  }

  /** Channels that were heard, and threads in them that are followed. */
  #places(): Readonly<Record<"channels" | "threads", readonly MissedPlace[]>> {
    const { workspace, marks } = this.#parts;
    const { heard, context } = workspace;
    const after = (ts: string) => (Number(ts) - OVERLAP_S).toFixed(6);
    const channels = [...marks.held].map(([channel, ts]) => ({ channel, after: after(ts) }));
    const since = context.now() - FOLLOW_MS;
    const threads = heard.activeSince(since, MAX_THREADS).flatMap((conversation) => {
      const [, channel = "", thread] = parseConversationKey(conversation).id.split("/");
      const ts = marks.held.get(channel);
      if (thread === undefined || ts === undefined) return [];
      return [{ channel, thread, after: after(ts) }];
    });
    return { channels, threads };
  }

  #findUnheard(
    found: readonly WireMessage[],
    channel: string,
  ): { conversation: string; message: HeardMessage }[] {
    const { workspace, messages } = this.#parts;
    const { identity, directory, heard } = workspace;
    const options = { identity, bots: { has: () => true }, names: directory.names };
    return found.flatMap((wire) => {
      const message = parseHistoryMessage(wire, channel, options);
      if (message.kind !== "message" || heard.message(message.key)) return [];
      const conversation = messages.conversationOf(message);
      const at = Number(message.ts) * 1_000;
      const isMeant = isForBot(message, heard.followed(conversation, at), at);
      return isMeant ? [{ conversation, message }] : [];
    });
  }

  async #take({ conversation, messages: all }: MissedTurn): Promise<Verdict> {
    const { workspace, messages } = this.#parts;
    const { context } = workspace;
    const wanted = all.filter(({ text }) => !isAside(text) && !context.commands.isSecret(text));
    const last = wanted.at(-1);
    // What was asked of the relay then may not be what it would be asked now; the others are told with the last.
    for (const message of all) if (message !== last) this.#claim(message, conversation);
    const about = { conversation, message: all.at(-1)?.key, user: all.at(-1)?.author.user };
    if (!last) return { ...about, decision: "drop", reason: "missed-command" };
    const judged = await messages.judge(last, conversation);
    if ("decision" in judged) return judged;
    const newest = await context.router.lastTurn(conversation);
    if (newest && Number(findTs(newest.key) ?? 0) > Number(last.ts)) {
      if (this.#claim(last, conversation)) messages.tell(last, "notice", words.overtaken);
      return { ...about, decision: "refuse", reason: "overtaken" };
    }
    const earlier = await Promise.all(
      wanted.slice(0, -1).map((message) => this.#earlierOf(message, conversation)),
    );
    const { user } = judged;
    const query = [...earlier, messages.requestOf(last)];
    const verdict = await messages.ask(last, conversation, { key: last.key, user, query });
    if (verdict.decision !== "run") return verdict;
    this.#tellAge(last);
    return { ...verdict, reason: "missed" };
  }

  /** A message that is told with the one that is answered; of people who may not talk, only that there was one. */
  async #earlierOf(message: HeardMessage, conversation: string): Promise<Turn> {
    const { messages } = this.#parts;
    const turn = messages.requestOf(message);
    const judged = await messages.judge(message, conversation);
    if (!("decision" in judged)) return turn;
    return { ...turn, content: "", attachments: [], isWithheld: true };
  }

  #tellAge(message: HeardMessage): void {
    const { workspace, teller, background, messages } = this.#parts;
    const age = formatAge(workspace.context.now() - Number(message.ts) * 1_000);
    if (age === undefined) return;
    const told = teller.openly(messages.placeOf(message), "notice", words.sentBefore(age));
    background.add("answer", told);
  }

  #claim({ key, author }: HeardMessage, conversation: string): boolean {
    const { heard, context } = this.#parts.workspace;
    return heard.claim(key, { conversation, user: author.user }, context.now());
  }
}
