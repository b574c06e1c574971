import { createReference, RouterError } from "@acp-kit/router";
import type { SlackUploads } from "../files/slack-uploads.ts";
import { postOnce } from "../publish/post-once.ts";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import type { StreamSlots } from "../publish/stream-slots.ts";
import { within } from "../within.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure, RenderFailure } from "./failure.ts";
import { MessageSigns, type Sign } from "./message-signs.ts";
import { Pause } from "./pause.ts";
import type { PlaceRefusals } from "./place-refusals.ts";
import { SessionStatus, type SessionSupport } from "./session-status.ts";
import { messageTsOf, type ThreadPlace, threadPlaceOf } from "./thread-place.ts";
import { TurnDelivery, type TurnDeliveryHost } from "./turn-delivery.ts";
import {
  ASIDE_REST_MS,
  closeLedger,
  endAsides,
  finishTurn,
  type LedgerTurn,
  nextTurn,
  openLedger,
  reduceLedger,
  type TurnLedger,
} from "./turn-ledger.ts";
import { formatTurnPlace, parseTurnPlace, startOf } from "./turn-place.ts";

/** How long what may vanish of a turn that cannot be shown may take to do so, in milliseconds. */
const REST_WITHIN_MS = 5_000;

/** The surface's name among the consumers of a log. */
const CONSUMER = "slack";

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
  readonly #signs = new Map<string, MessageSigns>();
  /** Signs and statuses that are still on their way: the conversation is not closed before. */
  readonly #signing = new Set<Promise<void>>();
  #session: SessionStatus;
  #ledger: TurnLedger = openLedger({ seq: 0 });
  #current: { readonly turn: string; readonly delivery: TurnDelivery } | undefined;
  #confirmed = 0;
  /** Of turns that began up to this seq, an earlier process may have shown something. */
  #oldTo = 0;
  #readFailure: unknown;
  #isSealing = false;

  constructor(options: ThreadDeliveryOptions) {
    const { workspace, conversation, sessions } = options;
    this.#options = options;
    this.#place = threadPlaceOf(conversation);
    this.#pause = new Pause(workspace.clock);
    this.#session = new SessionStatus(workspace, this.#place, sessions, false);
  }

  /** Takes away what would not be true any more of turns that go on without this process. */
  seal(): void {
    this.#isSealing = true;
    this.#current?.delivery.seal();
  }

  /** Nothing more has to be done before this process ends. */
  get isSealed(): boolean {
    if (this.#ledger.turns.size === 0) return this.#signing.size === 0;
    return (
      this.#isSealing && (this.#current?.delivery.isSealed ?? nextTurn(this.#ledger) === undefined)
    );
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
    const isOld = open.placeOf(conversation) !== undefined;
    if (isOld) this.#oldTo = await log.last();
    else open.keepPlace(conversation, formatTurnPlace(startOf("")));
    this.#session = new SessionStatus(workspace, this.#place, this.#options.sessions, isOld);
    const reading = this.#read();
    try {
      for (;;) {
        if (this.#stop.signal.aborted) throw new DeliveryFailure("closed");
        if (this.#readFailure !== undefined) throw this.#readFailure;
        this.#ledger = endAsides(this.#ledger, workspace.clock.now());
        const next = nextTurn(this.#ledger);
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
        const isWaiting = [...this.#ledger.turns.values()].some(({ isAside }) => isAside);
        await this.#pause.wait(isWaiting ? ASIDE_REST_MS : Number.POSITIVE_INFINITY);
      }
    } finally {
      this[Symbol.dispose]();
      await reading;
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#current?.delivery[Symbol.dispose]();
    this.#session[Symbol.dispose]();
    for (const signs of this.#signs.values()) signs[Symbol.dispose]();
    this.#pause.wake();
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
          this.#readFailure = error;
          this.#pause.wake();
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
      if (this.#current?.turn === turn) this.#current.delivery.update(entry);
      const { outcome, phase } = entry.view;
      if (outcome) this.#sign(turn, entry, undefined);
      else this.#sign(turn, entry, phase === "queued" ? "hourglass_flowing_sand" : "eyes");
    }
    this.#pause.wake();
  }

  async #deliver(turn: string): Promise<void> {
    const { workspace, conversation } = this.#options;
    const place = parseTurnPlace(workspace.open.placeOf(conversation), turn);
    const entry = this.#ledger.turns.get(turn);
    if (!entry) return;
    const delivery = new TurnDelivery(this.#host(entry.view.who ?? ""), place, entry);
    this.#current = { turn, delivery };
    if (this.#isSealing) delivery.seal();
    try {
      await delivery.run();
    } catch (error) {
      if (error instanceof RenderFailure) await this.#tellUnshown(turn, delivery, error);
      else if (!(error instanceof DeliveryFailure) || error.kind !== "place") throw error;
      else await this.#options.refusals.tell(entry.view.who ?? "", this.#place, error.code);
      await this.#ended(turn);
    } finally {
      this.#current = undefined;
      delivery[Symbol.dispose]();
    }
    // Once the turn is confirmed, nobody looks any more for what an earlier process may have left on its message.
    await this.#signed(turn, [
      ...(entry.isAside ? [] : [this.#session.show("active", entry.view.who ?? "")]),
      this.#signs.get(turn)?.show(undefined) ?? Promise.resolve(),
    ]);
    if (this.#stop.signal.aborted) throw new DeliveryFailure("closed");
    workspace.heard.active(conversation, workspace.clock.now());
    this.#ledger = finishTurn(this.#ledger, turn);
    this.#signs.delete(turn);
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
    if (!isShown) await within(this.#options.workspace.clock, SIGNS_WAIT_MS, all);
  }

  /** In the place of the answer there is a reference to what went wrong. */
  async #tellUnshown(turn: string, delivery: TurnDelivery, error: RenderFailure): Promise<void> {
    const { workspace, conversation } = this.#options;
    const { queue, clock, identity, renderer, context } = workspace;
    delivery.seal();
    const late = clock.now() + REST_WITHIN_MS;
    while (!delivery.isSealed && clock.now() < late) await new Pause(clock).wait(100);
    const ref = createReference();
    context.journal.fail({ ref, conversation, what: "render", error: error.cause });
    const said = renderer.say("error", `This answer can't be shown (ref ${ref}).`);
    const text = said.kind === "text" ? said.markdown : "";
    const { channel, thread } = this.#place;
    await postOnce({
      ...{ queue, clock, botId: identity.botId, channel, thread, id: `${turn}.unshown` },
      priority: "final",
      mayBeThere: false,
      body: () => renderPart(text, "", MARKDOWN_FORM),
    });
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
      keep: (turnPlace) => workspace.open.keepPlace(conversation, formatTurnPlace(turnPlace)),
      onSession: (state) => void this.#session.show(state, requester),
      onStream: (isLive) => this.#session.assume(isLive ? "processing" : "active"),
      onStopped: () => this.#session.assume(undefined),
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

  async #confirm(): Promise<void> {
    const { workspace, conversation } = this.#options;
    const to = closeLedger(this.#ledger);
    if (to.seq < this.#confirmed) return;
    const log = workspace.context.router.log(conversation);
    if (!(await log.confirm(CONSUMER, this.#confirmed, to))) {
      throw new Error(`${conversation} is delivered by somebody else as well`);
    }
    this.#confirmed = to.seq;
  }

  #sign(turn: string, { key, first }: LedgerTurn, sign: Sign | undefined): void {
    const { workspace } = this.#options;
    const { settings } = workspace.bot;
    const ts = messageTsOf(key);
    if (ts === undefined || !settings.features.includes("signs")) return;
    let signs = this.#signs.get(turn);
    if (!signs) {
      const message = { channel: this.#place.channel, ts };
      signs = new MessageSigns(workspace, message, first <= this.#oldTo);
      this.#signs.set(turn, signs);
    }
    this.#keepSigning(signs.show(sign));
  }

  #keepSigning(showing: Promise<void>): void {
    const shown = showing.finally(() => {
      this.#signing.delete(shown);
      this.#pause.wake();
    });
    this.#signing.add(shown);
  }
}
