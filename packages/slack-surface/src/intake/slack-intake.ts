import { createReference, KeyedLocks } from "@acp-kit/router";
import { type CatchUpParts, catchUp } from "../catch-up/catch-up.ts";
import { Looks } from "../catch-up/looks.ts";
import { Presence } from "../catch-up/presence.ts";
import { SeenMarks } from "../catch-up/seen-marks.ts";
import type { SocketEnvelope } from "../socket/connection.ts";
import { within } from "../within.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { Background } from "./background.ts";
import { Changes } from "./changes.ts";
import { Decisions } from "./decisions.ts";
import type { Heard, HeardMessage } from "./heard.ts";
import { Interactions } from "./interactions.ts";
import { Messages } from "./messages.ts";
import { parseSlackEvent } from "./parse-event.ts";
import { parseSlackInteraction } from "./parse-interaction.ts";
import { Reactions } from "./reactions.ts";
import { Teller } from "./teller.ts";
import type { Verdict } from "./verdict.ts";

/** Reasons that stand for what the platform tells of the bot's own doing. */
const FREQUENT: ReadonlySet<string> = new Set(["own", "unchanged", "subtype", "unknown-event"]);

const PRUNE_EVERY_MS = 3_600_000;

/** How long what was acknowledged may go on when the process is to end, in milliseconds. */
const LAST_MS = 5_000;

/**
 * Takes what the platform brings, over whichever transport, up to the router. An envelope is acknowledged when what it
 * means is committed, and not at all when it is to come again.
 */
export class SlackIntake implements AsyncDisposable {
  readonly #workspace: SlackWorkspace;
  readonly #background: Background;
  readonly #messages: Messages;
  readonly #changes: Changes;
  readonly #reactions: Reactions;
  readonly #interactions: Interactions;
  readonly #marks: SeenMarks;
  readonly #looks: Looks;
  readonly #presence: Presence;
  /** One message of a thread after the other, in the order in which they came. */
  readonly #threads = new KeyedLocks();
  readonly #carrying = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #pruning: Disposable | undefined;

  constructor(workspace: SlackWorkspace) {
    this.#workspace = workspace;
    const background = new Background(workspace);
    const parts = {
      ...{ workspace, background, teller: new Teller(workspace) },
      decisions: new Decisions(workspace),
    };
    this.#background = background;
    this.#messages = new Messages(parts);
    this.#changes = new Changes(parts, this.#messages);
    this.#reactions = new Reactions(workspace, parts.decisions);
    this.#interactions = new Interactions(parts, this.#changes);
    this.#marks = new SeenMarks(workspace.heard);
    this.#marks.owe(workspace.context.now());
    this.#presence = new Presence(workspace.clock.now());
    this.#looks = new Looks({
      clock: workspace.clock,
      isOwed: () => this.#marks.owed.length > 0 || this.#marks.owesUnheard,
      look: () => this.#look({ ...parts, ...this.#catchUpParts() }),
    });
    this.#prune();
  }

  /** Never throws. */
  take(envelope: SocketEnvelope): void {
    // What is not acknowledged comes again, to the next process.
    if (this.#closing.signal.aborted) return;
    const carried = this.#carry(envelope).finally(() => this.#carrying.delete(carried));
    this.#carrying.add(carried);
  }

  /** Looks for what came while nobody heard. To be called once, when envelopes can come. */
  catchUp(): void {
    void this.#looks.now();
  }

  /**
   * To be called at each sign that the platform could bring something, before what it brings then: after a time without
   * any it is looked for what came meanwhile. Never throws.
   */
  sign(): void {
    const silentMs = this.#presence.sign(this.#workspace.clock.now());
    if (silentMs === 0 || this.#closing.signal.aborted) return;
    this.#background.add("catch up", this.#comeBack(silentMs));
  }

  /** Takes nothing more, and waits for what it has taken. To be disposed of before the queue of calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#looks[Symbol.dispose]();
    this.#pruning?.[Symbol.dispose]();
    while (this.#carrying.size > 0) await Promise.all(this.#carrying);
    await within(this.#workspace.clock, LAST_MS, this.#background.idle());
    this.#background[Symbol.dispose]();
  }

  async #comeBack(silentMs: number): Promise<void> {
    const { context, bot } = this.#workspace;
    context.log.warn({ bot: bot.name, silentMs }, "heard nothing: looks for what was missed");
    this.#marks.owe(context.now());
    await this.#looks.now();
  }

  /** Never rejects. */
  async #look(parts: CatchUpParts): Promise<void> {
    const looked = catchUp(parts);
    this.#background.add("catch up", looked);
    await looked.catch(() => undefined);
  }

  #catchUpParts() {
    return {
      messages: this.#messages,
      marks: this.#marks,
      signal: this.#closing.signal,
      note: (verdict: Verdict) => this.#note("missed", verdict),
      inThread: <T>(message: Pick<HeardMessage, "place">, work: () => Promise<T>) =>
        this.#inThread(message, work),
    };
  }

  #prune(): void {
    const { heard, context, clock } = this.#workspace;
    // A database that cannot be written now is no reason to hear nothing.
    const prune = async () => heard.prune(context.now());
    this.#background.add("prune", prune());
    this.#pruning = clock.after(PRUNE_EVERY_MS, () => this.#prune());
  }

  async #carry(envelope: SocketEnvelope): Promise<void> {
    let what = envelope.kind;
    try {
      const isEvent = envelope.kind === "events_api";
      const heard = isEvent ? this.#read(envelope.payload) : undefined;
      what = heard?.kind ?? what;
      const verdict = heard ? await this.#event(heard, envelope) : await this.#interact(envelope);
      this.#note(what, verdict);
    } catch (error) {
      // Not acknowledged: it may go well the next time.
      const { journal } = this.#workspace.context;
      journal.fail({ ref: createReference(), what: `slack ${what}`, error });
      this.#note(what, { decision: "drop", reason: "failed" });
    }
  }

  #note(what: string, { comesAgain: _, isFrequent, ...inbound }: Verdict): void {
    const { context, bot } = this.#workspace;
    const detail = isFrequent ? "counted" : "noted";
    context.journal.note({ surface: "slack", bot: bot.name, what, ...inbound }, detail);
  }

  async #event(heard: Heard, envelope: SocketEnvelope): Promise<Verdict> {
    const verdict = await this.#takeHeard(heard, envelope);
    if (!verdict.comesAgain) envelope.ack();
    return verdict;
  }

  async #interact({ payload, ack }: SocketEnvelope): Promise<Verdict> {
    const interaction = parseSlackInteraction(payload, this.#workspace.identity);
    return await this.#interactions.take(interaction, ack);
  }

  #read(payload: unknown): Heard {
    const { identity, directory, bot } = this.#workspace;
    // A bot is heard where a rule has its id: which is looked at with the place.
    const bots = { has: () => true };
    const { features } = bot.settings;
    return parseSlackEvent(payload, { identity, bots, names: directory.names, features });
  }

  async #takeHeard(heard: Heard, { payload }: SocketEnvelope): Promise<Verdict> {
    switch (heard.kind) {
      case "message": {
        const read = () => this.#read(payload) as HeardMessage;
        return await this.#takeMessage(heard, read);
      }
      case "edit":
        return await this.#inThread(heard.message, () => this.#changes.edit(heard));
      case "deletion":
        return await this.#inThread(heard, () => this.#changes.remove(heard));
      case "reaction":
        if (!this.#workspace.bot.settings.features.includes("reactions")) {
          return { decision: "drop", reason: "feature-off", isFrequent: true };
        }
        return await this.#reactions.take(heard);
      case "stop":
        return await this.#interactions.stop(heard);
      case "home":
        return { decision: "serve", reason: "home", user: heard.user };
      case "removed":
        return this.#tellRemoved();
      case "ignored": {
        const { reason } = heard;
        return { decision: "drop", reason, ...(FREQUENT.has(reason) && { isFrequent: true }) };
      }
    }
  }

  async #takeMessage(heard: HeardMessage, read: () => HeardMessage): Promise<Verdict> {
    let isTaken = false;
    try {
      const verdict = await this.#inThread(heard, () => this.#messages.take(heard, read));
      if (!verdict.comesAgain) this.#marks.see(heard.place.channel, heard.ts);
      isTaken = !verdict.comesAgain;
      return verdict;
    } finally {
      if (!isTaken) this.#miss(heard);
    }
  }

  /** It comes again a few times, and then no more. */
  #miss({ place, ts }: HeardMessage): void {
    this.#marks.miss(place.channel, ts, this.#workspace.context.now());
    this.#looks.soon();
  }

  #tellRemoved(): Verdict {
    const { context, bot } = this.#workspace;
    const text = `The Slack app of ${bot.name} was removed from its workspace, or its token was taken back. Install it again, and set its new token.`;
    context.notices.tell({ kind: "app-removed", about: bot.name, text });
    return { decision: "serve", reason: "app-removed" };
  }

  async #inThread<T>({ place }: Pick<HeardMessage, "place">, work: () => Promise<T>): Promise<T> {
    const release = await this.#threads.acquire(`${place.channel}/${place.thread}`);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
