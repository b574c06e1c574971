import type { Checkpoint, ConversationLog } from "@acp-kit/router";
import {
  type DeliveryState,
  formatDeliveryState,
  parseDeliveryState,
  type ReaderMark,
} from "./delivery-state.ts";

/** The surface's name among the consumers of a log. */
const CONSUMER = "poe";

/** How far a conversation was delivered, and what is known of that place. */
export type Delivered = { readonly seq: number; readonly state: DeliveryState };

/** A response, as it is known to those of other processes. */
export type Self = Pick<ReaderMark, "id" | "surface" | "key" | "user" | "label">;

/** What a response confirms of its reading. */
export type Confirmation = Pick<DeliveryState, "questions" | "until" | "carry"> & {
  readonly seq: number;
  readonly phase: "gone" | "over";
  /** The question that its message answered. */
  readonly answered?: string | undefined;
  /** Keys of messages whose part is complete. */
  readonly delivered: readonly string[];
};

export async function readDelivered(log: ConversationLog): Promise<Delivered> {
  const { seq, state } = await log.checkpoint(CONSUMER);
  return { seq, state: parseDeliveryState(state) };
}

/**
 * What one response writes to its conversation's checkpoint. It is there that responses of several processes meet: one
 * process serves while another finishes what it had begun.
 */
export class Delivery {
  readonly #log: ConversationLog;
  readonly #self: Self;
  /** Its mark while it reads; absent before. */
  #mark: ReaderMark | undefined;

  constructor(log: ConversationLog, self: Self) {
    this.#log = log;
    this.#self = self;
  }

  read(): Promise<Delivered> {
    return readDelivered(this.#log);
  }

  /** Says that it is the newest response of its message, before it reads. */
  async announce(): Promise<void> {
    await this.#update(0, (state) => this.#withMessage(state, undefined));
  }

  /**
   * Begins to read: whichever response read before is superseded.
   *
   * @param start - Where the reading of other turns begins.
   */
  async begin(start: number, until: string | undefined): Promise<void> {
    await this.#update(0, (state) => {
      const nth = (state.reader?.nth ?? 0) + 1;
      this.#mark = { ...this.#self, nth, phase: "reads", ...(until !== undefined && { until }) };
      return { ...this.#withMessage(state, start), reader: this.#mark };
    });
  }

  /** True once another process has a newer response of this message, or another reader. */
  async isSuperseded(): Promise<boolean> {
    const { state } = await this.read();
    const { id, key } = this.#self;
    if (!this.#mark) {
      const newest = state.messages.find((one) => one.key === key);
      return key !== "" && newest !== undefined && newest.id !== id;
    }
    const { reader } = state;
    if (!reader || reader.id === id) return false;
    if (isNewer(reader, this.#mark)) return true;
    // Two have written at the same time, and the older one came last.
    const mark = this.#mark;
    await this.#update(0, (other) => ({ ...other, reader: mark }));
    return false;
  }

  /**
   * Confirms what was delivered, unless another reader has taken over. The place never moves back: where another
   * response was ahead, its place and questions stay, and only the keys are added.
   */
  async confirm({ seq, phase, answered, delivered, ...shown }: Confirmation): Promise<void> {
    if (await this.isSuperseded()) return;
    const { id, key } = this.#self;
    await this.#update(
      seq,
      (state, isAhead) => {
        const reader = state.reader?.id === id ? { ...state.reader, phase } : state.reader;
        const { questions, until, carry, ...kept } = state;
        const answers =
          answered === undefined || key === ""
            ? state.answers
            : [...state.answers, { key, permission: answered }];
        const before = {
          questions,
          ...(until !== undefined && { until }),
          ...(carry && { carry }),
        };
        const place = isAhead ? before : shown;
        return { ...kept, ...place, answers, ...(reader && { reader }) };
      },
      delivered,
    );
  }

  #withMessage(state: DeliveryState, start: number | undefined): DeliveryState {
    const { id, key } = this.#self;
    if (key === "") return state;
    const before = state.messages.find((one) => one.key === key);
    const from = start ?? before?.start;
    const mark = { key, id, ...(from !== undefined && { start: from }) };
    return { ...state, messages: [...state.messages.filter((one) => one !== before), mark] };
  }

  async #update(
    seq: number,
    change: (state: DeliveryState, isAhead: boolean) => DeliveryState,
    delivered: readonly string[] = [],
  ): Promise<void> {
    for (;;) {
      const before = await this.#log.checkpoint(CONSUMER);
      const state = change(parseDeliveryState(before.state), before.seq > seq);
      const to: Checkpoint = {
        seq: Math.max(before.seq, seq),
        state: formatDeliveryState(state),
        delivered,
      };
      if (await this.#log.confirm(CONSUMER, before.seq, to)) return;
    }
  }
}

/** Of two that began at the same time, one is chosen by its id, the same one everywhere. */
function isNewer(one: ReaderMark, other: ReaderMark): boolean {
  return one.nth === other.nth ? one.id > other.id : one.nth > other.nth;
}
