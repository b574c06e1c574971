import { RouterError } from "@acp-kit/router";
import type { Sign } from "../book/sign-book.ts";
import type { SlackUploads } from "../files/slack-uploads.ts";
import { findTs } from "../intake/parse-event.ts";
import type { StreamSlots } from "../publish/stream-slots.ts";
import { within } from "../within.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure, RenderFailure } from "./failure.ts";
import { Pause } from "./pause.ts";
import type { PlaceRefusals } from "./place-refusals.ts";
import { SessionStatus, type SessionSupport } from "./session-status.ts";
import { tellMissing } from "./tell-missing.ts";
import { tellUnshown } from "./tell-unshown.ts";
import { type ThreadPlace, threadPlaceOf } from "./thread-place.ts";
import { ThreadSigns } from "./thread-signs.ts";
import { TurnDelivery, type TurnDeliveryHost } from "./turn-delivery.ts";
import {
  ASIDE_REST_MS,
  closeLedger,
  endAsides,
  finishTurn,
  type LedgerTurn,
  nextAside,
  nextTurn,
  openLedger,
  reduceLedger,
  type TurnLedger,
} from "./turn-ledger.ts";
import { formatTurnPlaces, parseTurnPlaces, startOf, type TurnPlace } from "./turn-place.ts";

/** The surface's name among the consumers of a log. */
const CONSUMER = "slack";

const missing = {
  answer: "A part of the answer",
  question: "A question that waits for you (`!stop` ends its turn)",
};

/** How long the next turn waits for the signs of the one before, in milliseconds. */
const SIGNS_WAIT_MS = 3_000;

export type ThreadDeliveryOptions = {
  readonly workspace: SlackWorkspace;
  readonly conversation: string;
  readonly slots: StreamSlots;
  readonly uploads: SlackUploads;
  readonly sessions: SessionSupport;
  readonly refusals: PlaceRefusals;
};

/** Shows what happens in one conversation, for as long as something happens there. */
export class ThreadDelivery implements Disposable {
  readonly #options: ThreadDeliveryOptions;
  readonly #place: ThreadPlace;
  readonly #pause: Pause;
  readonly #stop = new AbortController();
  /** Wakes who shows what was said beside turns. */
  readonly #asidePause: Pause;
  readonly #signs: ThreadSigns;
  /** Signs and statuses that are still on their way: the conversation is not closed before. */
  readonly #signing = new Set<Promise<void>>();
  #session: SessionStatus;
  #ledger: TurnLedger = openLedger({ seq: 0 });
  /** What is shown now, by turn: one turn, and one aside. */
  readonly #deliveries = new Map<string, TurnDelivery>();
  /** How far that is. */
  readonly #places = new Map<string, TurnPlace>();
  /** Asides that could not be shown beside a turn: they are shown in their order. */
  readonly #postponed = new Set<string>();
  #confirmed = 0;
  #confirming: Promise<void> = Promise.resolve();
  /** Of turns that began up to this seq, an earlier process may have shown something. */
  #oldTo = 0;
  #hasLookedBehind = false;
  #readFailure: unknown;
  #isSealing = false;

  constructor(options: ThreadDeliveryOptions) {
    const { workspace, conversation, sessions } = options;
    this.#options = options;
    this.#place = threadPlaceOf(conversation);
    this.#pause = new Pause(workspace.clock);
    this.#asidePause = new Pause(workspace.clock);
    this.#signs = new ThreadSigns(workspace, conversation, this.#place.channel);
    this.#session = new SessionStatus(workspace, this.#place, sessions, false);
  }

  /** Takes away what would not be true any more of turns that go on without this process. */
  seal(): void {
    this.#isSealing = true;
    for (const delivery of this.#deliveries.values()) delivery.seal();
  }

  /** Nothing more has to be done before this process ends. */
  get isSealed(): boolean {
    if (this.#ledger.turns.size === 0) return this.#signing.size === 0;
    if (!this.#isSealing || nextTurn(this.#ledger, this.#deliveries)) return false;
    return [...this.#deliveries.values()].every(({ isSealed }) => isSealed);
  }

  /**
   * Resolves when everything is seen and nothing runs; the conversation is not open any more then. Rejects with a
   * {@link DeliveryFailure}.
   */
  async run(): Promise<void> {
    const { workspace, conversation } = this.#options;
    const { open } = workspace;
    const log = workspace.context.router.log(conversation);
    const checkpoint = await log.checkpoint(CONSUMER);
    this.#confirmed = checkpoint.seq;
    this.#ledger = openLedger(checkpoint);
    // Until the conversation is closed, whoever comes next sees by its place that somebody was here.
    const kept = open.placeOf(conversation);
    for (const [turn, place] of parseTurnPlaces(kept)) this.#places.set(turn, place);
    if (kept === undefined) this.#keepPlaces();
    else this.#oldTo = await log.last();
    const isOld = kept !== undefined;
    this.#session = new SessionStatus(workspace, this.#place, this.#options.sessions, isOld);
    this.#lookBehind();
    const reading = this.#read();
    const asides = this.#showAsides();
    try {
      for (;;) {
        if (this.#stop.signal.aborted) throw new DeliveryFailure("closed");
        if (this.#readFailure !== undefined) throw this.#readFailure;
        this.#ledger = endAsides(this.#ledger, workspace.clock.now());
        const next = nextTurn(this.#ledger, this.#deliveries);
        if (next) {
          await this.#deliver(next.view.turn);
          continue;
        }
        const mark = open.markOf(conversation);
        if (mark === undefined || (await this.#isQuiet())) {
          await this.#confirm();
          if (this.#signing.size > 0) {
            // A limit may hold them up for long, and no turn that comes meanwhile waits for them.
            await this.#pause.wait(Number.POSITIVE_INFINITY);
            continue;
          }
          if (mark === undefined || open.clear({ conversation, mark })) return;
          continue;
        }
        await this.#pause.wait(this.#asideRestMs);
      }
    } finally {
      this[Symbol.dispose]();
      await Promise.all([reading, asides]);
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    for (const delivery of this.#deliveries.values()) delivery[Symbol.dispose]();
    this.#session[Symbol.dispose]();
    this.#signs[Symbol.dispose]();
    this.#pause.wake();
    this.#asidePause.wake();
  }

  /** How long it is waited for the end of what is said now outside of turns, in milliseconds. */
  get #asideRestMs(): number {
    const asides = [...this.#ledger.turns.values()].filter(({ isAside }) => isAside);
    return asides.length > 0 ? ASIDE_REST_MS : Number.POSITIVE_INFINITY;
  }

  /** What somebody has asked for while a turn runs does not wait for its end. Never rejects. */
  async #showAsides(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#ledger = endAsides(this.#ledger, this.#options.workspace.clock.now());
      const shown = new Set([...this.#deliveries.keys(), ...this.#postponed]);
      const aside = nextAside(this.#ledger, shown)?.view.turn;
      if (aside === undefined) await this.#asidePause.wait(this.#asideRestMs);
      else await this.#deliver(aside).catch(() => this.#postponed.add(aside));
    }
  }

  async #read(): Promise<void> {
    const { workspace, conversation } = this.#options;
    const log = workspace.context.router.log(conversation);
    for (let after = this.#ledger.seq; ; ) {
      try {
        const cursor = log.follow({ after }, this.#stop.signal);
        for (let events = await cursor.next(); events; events = await cursor.next()) {
          for (const event of events) this.#ledger = reduceLedger(this.#ledger, event);
          this.#show();
        }
        return;
      } catch (error) {
        if (!(error instanceof RouterError) || error.first === undefined) {
          this.#fail(error);
          return;
        }
        // What has left the log cannot be shown any more.
        after = error.first - 1;
      }
    }
  }

  /** What is known of turns by now is passed on. */
  #show(): void {
    for (const [turn, entry] of this.#ledger.turns) {
      this.#deliveries.get(turn)?.update(entry);
      const { outcome, phase } = entry.view;
      const sign = phase === "queued" ? "hourglass_flowing_sand" : "eyes";
      this.#keepSigning(this.#sign(turn, entry, outcome ? undefined : sign));
    }
    this.#lookBehind();
    this.#pause.wake();
    this.#asidePause.wake();
  }

  /** What an earlier process has left of turns that are shown whole is taken away. */
  #lookBehind(): void {
    if (this.#hasLookedBehind || this.#ledger.seq < this.#oldTo) return;
    this.#hasLookedBehind = true;
    const turns = [...this.#ledger.turns.values()].filter(({ isAside }) => !isAside);
    const known = new Set(turns.map(({ key }) => findTs(key)));
    for (const ts of this.#signs.messages) {
      if (!known.has(ts)) this.#keepSigning(this.#signs.show(ts, undefined));
    }
    if (turns.length === 0 && this.#oldTo > 0) this.#keepSigning(this.#endSession());
  }

  async #endSession(): Promise<void> {
    const { workspace, conversation } = this.#options;
    try {
      const last = await workspace.context.router.lastTurn(conversation);
      if (last) await this.#session.show("active", last.who);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#readFailure ??= error;
    this.#pause.wake();
  }

  async #deliver(turn: string): Promise<void> {
    const { workspace, conversation } = this.#options;
    const entry = this.#ledger.turns.get(turn);
    if (!entry) return;
    const place = this.#places.get(turn) ?? startOf(turn);
    const delivery = new TurnDelivery(this.#host(entry.view.who ?? ""), place, entry);
    this.#deliveries.set(turn, delivery);
    if (this.#isSealing) delivery.seal();
    try {
      await delivery.run();
    } catch (error) {
      if (error instanceof RenderFailure) {
        await tellUnshown(workspace, this.#place, { conversation, turn, delivery, error });
      } else if (error instanceof DeliveryFailure && error.kind === "place") {
        await this.#options.refusals.tell(entry.view.who ?? "", this.#place, error.code);
      } else throw error;
      await this.#ended(turn);
    } finally {
      this.#deliveries.delete(turn);
      delivery[Symbol.dispose]();
    }
    if (!entry.isAside) {
      await this.#signed(turn, [
        this.#session.show("active", entry.view.who ?? ""),
        this.#sign(turn, entry, undefined),
      ]);
    }
    if (this.#stop.signal.aborted) throw new DeliveryFailure("closed");
    workspace.heard.active(conversation, workspace.clock.now());
    this.#ledger = finishTurn(this.#ledger, turn);
    this.#places.delete(turn);
    await this.#confirm();
  }

  /** Resolves when a turn's last signs are shown, or a limit holds them up for too long while another turn waits. */
  async #signed(turn: string, showing: readonly Promise<void>[]): Promise<void> {
    let isShown = false;
    const all = Promise.all(showing).then(() => {
      isShown = true;
    });
    this.#keepSigning(all);
    const isWaited = () => [...this.#ledger.turns.keys()].some((other) => other !== turn);
    while (!isShown && !isWaited() && !this.#stop.signal.aborted) {
      await this.#pause.wait(Number.POSITIVE_INFINITY);
    }
    const isStopped = this.#stop.signal.aborted;
    if (!isShown && !isStopped) await within(this.#options.workspace.clock, SIGNS_WAIT_MS, all);
  }

  /** Nothing can be shown of it: the next turn is tried again. */
  async #ended(turn: string): Promise<void> {
    while (!this.#ledger.turns.get(turn)?.view.outcome) {
      await this.#pause.wait(Number.POSITIVE_INFINITY);
      if (this.#stop.signal.aborted) throw new DeliveryFailure("closed");
    }
  }

  #host(requester: string): TurnDeliveryHost {
    const { workspace, conversation, slots, uploads, sessions } = this.#options;
    const place = this.#place;
    return {
      ...{ workspace, conversation, place, slots, uploads },
      keep: (turnPlace) => {
        this.#places.set(turnPlace.turn, turnPlace);
        this.#keepPlaces();
      },
      onSession: (state) => void this.#session.show(state, requester),
      onStream: (isLive) => this.#session.assume(isLive ? "processing" : "active"),
      onStopped: () => this.#session.assume(undefined),
      onMissing: async (what, id, error) => {
        const text = `${missing[what]} can't be shown: Slack says \`${error}\``;
        const failure = { what: "deliver", error: new Error(error) };
        const isTold = await tellMissing(workspace, place, { conversation, id, text, ...failure });
        if (!isTold) await this.#options.refusals.tell(requester, place, error);
      },
      hasStop: () => !sessions.isRefused && place.thread !== undefined,
    };
  }

  /** Everything was read, and no turn waits or runs in any process. */
  async #isQuiet(): Promise<boolean> {
    const { workspace, conversation } = this.#options;
    const { router } = workspace.context;
    if (this.#ledger.turns.size > 0 || (await router.openTurns(conversation)).length > 0)
      return false;
    return (
      (await router.log(conversation).last()) <= this.#ledger.seq && this.#ledger.turns.size === 0
    );
  }

  #keepPlaces(): void {
    const { workspace, conversation } = this.#options;
    workspace.open.keepPlace(conversation, formatTurnPlaces(this.#places.values()));
  }

  /** One after the other. */
  async #confirm(): Promise<void> {
    const confirming = this.#confirming.then(() => this.#confirmNow());
    this.#confirming = confirming;
    await confirming;
  }

  async #confirmNow(): Promise<void> {
    const { workspace, conversation } = this.#options;
    const to = closeLedger(this.#ledger);
    if (to.seq < this.#confirmed) return;
    const log = workspace.context.router.log(conversation);
    if (!(await log.confirm(CONSUMER, this.#confirmed, to))) {
      throw new Error(`${conversation} is delivered by somebody else as well`);
    }
    this.#confirmed = to.seq;
  }

  /** The sign of a message is that of its last turn: one that is changed has another. */
  async #sign(turn: string, { key }: LedgerTurn, sign: Sign | undefined): Promise<void> {
    const ts = findTs(key);
    if (ts === undefined) return;
    const last = [...this.#ledger.turns.values()].findLast((each) => findTs(each.key) === ts);
    if (last?.view.turn === turn) await this.#signs.show(ts, sign);
  }

  #keepSigning(showing: Promise<void>): void {
    const shown = showing.finally(() => {
      this.#signing.delete(shown);
      this.#pause.wake();
    });
    this.#signing.add(shown);
  }
}
