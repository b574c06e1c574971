import { randomUUID } from "node:crypto";
import { RouterError } from "./errors.ts";
import type { LogEvent, NewEvent, TurnOutcome } from "./events.ts";
import {
  type Checkpoint,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  type Posted,
  type PromptItem,
  REDRIVE_WINDOW_MS,
  type Store,
  type TakenItem,
} from "./store.ts";

/** What is known of a message key: the newest turn that it led to, and where its reader began. */
type KeyRow = {
  turn: string;
  after: number;
  attempt: number;
  delivered: boolean;
  /** Request ids that asked for it, each with the time of the first one. */
  readonly requests: Map<string, number>;
};

class MemoryConversation {
  readonly events: LogEvent[] = [];
  readonly keys = new Map<string, KeyRow>();
  readonly ends = new Map<string, { seq: number; outcome: TurnOutcome }>();
  /** Every question ever asked, and whether it still waits for its answer. */
  readonly questions = new Map<string, { turn: string; open: boolean }>();
  readonly checkpoints = new Map<string, Checkpoint>();
  inbox: TakenItem[] = [];
  fence = 0;
  held = false;

  get last(): number {
    return this.events.length;
  }
}

/** A store that forgets everything with its process: for tests, and for relays that keep nothing. */
export class MemoryStore implements Store {
  readonly #conversations = new Map<string, MemoryConversation>();
  readonly #records = new Map<string, unknown>();
  readonly #listeners = new Set<(conversation: string, part: "log" | "inbox") => void>();

  async claim(conversation: string): Promise<Lease | undefined> {
    const state = this.#of(conversation);
    if (state.held) return undefined;
    state.held = true;
    state.fence += 1;
    return { conversation, fence: state.fence };
  }

  async release(lease: Lease): Promise<void> {
    const state = this.#of(lease.conversation);
    if (state.held && state.fence === lease.fence) state.held = false;
  }

  async append(lease: Lease, events: readonly NewEvent[]): Promise<number> {
    const state = this.#owned(lease);
    for (const event of events) {
      const placed: LogEvent = { ...event, seq: state.last + 1 };
      state.events.push(placed);
      index(state, placed);
    }
    if (events.length > 0) this.#announce(lease.conversation, "log");
    return state.last;
  }

  async read(conversation: string, after: number, limit: number): Promise<readonly LogEvent[]> {
    const state = this.#conversations.get(conversation);
    const last = state?.last ?? 0;
    if (after > last) {
      throw new RouterError(`Seq ${after} is beyond the newest event, ${last}`, {
        code: "ahead",
        last,
      });
    }
    return state?.events.slice(after, after + limit) ?? [];
  }

  async last(conversation: string): Promise<number> {
    return this.#conversations.get(conversation)?.last ?? 0;
  }

  async post(conversation: string, item: InboxItem): Promise<Posted> {
    const state = this.#of(conversation);
    const posted = item.kind === "prompt" ? postPrompt(state, item) : postOther(state, item);
    if (posted.how === "new") this.#announce(conversation, "inbox");
    return posted;
  }

  async take(lease: Lease): Promise<readonly TakenItem[]> {
    const state = this.#owned(lease);
    const taken = state.inbox;
    state.inbox = [];
    return taken;
  }

  async confirm(
    conversation: string,
    consumer: string,
    from: number,
    to: Checkpoint,
  ): Promise<boolean> {
    const state = this.#of(conversation);
    if ((state.checkpoints.get(consumer)?.seq ?? 0) !== from) return false;
    if (to.seq > state.last || to.seq < from) {
      throw new RouterError(`A checkpoint at ${to.seq} is outside ${from}..${state.last}`, {
        code: "ahead",
        last: state.last,
      });
    }
    if (to.state !== undefined && Buffer.byteLength(to.state) > MAX_CHECKPOINT_STATE_BYTES) {
      throw new RangeError(`A checkpoint's state is at most ${MAX_CHECKPOINT_STATE_BYTES} bytes`);
    }
    state.checkpoints.set(consumer, {
      seq: to.seq,
      ...(to.state !== undefined && { state: to.state }),
    });
    for (const key of to.delivered ?? []) {
      const row = state.keys.get(key);
      if (row) row.delivered = true;
    }
    return true;
  }

  async checkpoint(conversation: string, consumer: string): Promise<Checkpoint> {
    return this.#conversations.get(conversation)?.checkpoints.get(consumer) ?? { seq: 0 };
  }

  async readRecord<T>(key: string): Promise<T | undefined> {
    return structuredClone(this.#records.get(key)) as T | undefined;
  }

  async writeRecord(lease: Lease, key: string, value: unknown): Promise<void> {
    this.#owned(lease);
    this.#records.set(key, structuredClone(value));
  }

  async turnEnd(conversation: string, turn: string): Promise<number | undefined> {
    return this.#conversations.get(conversation)?.ends.get(turn)?.seq;
  }

  onChange(listener: (conversation: string, part: "log" | "inbox") => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#conversations.clear();
    this.#records.clear();
  }

  #of(conversation: string): MemoryConversation {
    let state = this.#conversations.get(conversation);
    if (!state) {
      state = new MemoryConversation();
      this.#conversations.set(conversation, state);
    }
    return state;
  }

  #owned(lease: Lease): MemoryConversation {
    const state = this.#of(lease.conversation);
    if (!state.held || state.fence !== lease.fence) {
      throw new RouterError("Another owner has taken this conversation over", { code: "fenced" });
    }
    return state;
  }

  #announce(conversation: string, part: "log" | "inbox"): void {
    for (const listener of this.#listeners) listener(conversation, part);
  }
}

function index(state: MemoryConversation, event: LogEvent): void {
  if (event.kind === "permission-ask") {
    state.questions.set(event.ask.id, { turn: event.turn ?? "", open: true });
  } else if (event.kind === "permission-answer") {
    const question = state.questions.get(event.permission);
    if (question) question.open = false;
  } else if (event.kind === "turn-end" && event.turn !== undefined) {
    state.ends.set(event.turn, { seq: event.seq, outcome: event.outcome });
  }
}

function postPrompt(state: MemoryConversation, item: PromptItem): Posted {
  const row = item.key === "" ? undefined : state.keys.get(item.key);
  if (row && isRepeat(state, row, item)) {
    if (item.request && !row.requests.has(item.request)) row.requests.set(item.request, item.at);
    return { turn: row.turn, after: row.after, how: "repeat" };
  }
  const next: KeyRow = {
    turn: randomUUID(),
    after: Math.min(item.after ?? state.last, state.last),
    attempt: (row?.attempt ?? 0) + 1,
    delivered: false,
    requests: row?.requests ?? new Map(),
  };
  if (item.request) next.requests.set(item.request, item.at);
  if (item.key !== "") state.keys.set(item.key, next);
  state.inbox.push({ item, turn: next.turn, attempt: next.attempt });
  return { turn: next.turn, after: next.after, how: "new" };
}

function isRepeat(state: MemoryConversation, row: KeyRow, item: PromptItem): boolean {
  if (item.repeat === "attach") return true;
  const asked = item.request ? row.requests.get(item.request) : undefined;
  if (asked !== undefined && item.at - asked < REDRIVE_WINDOW_MS) return true;
  return !row.delivered && state.ends.get(row.turn)?.outcome.kind !== "cancelled";
}

function postOther(state: MemoryConversation, item: Exclude<InboxItem, PromptItem>): Posted {
  const row = item.key === "" ? undefined : state.keys.get(item.key);
  if (row) return { turn: row.turn, after: row.after, how: "repeat" };
  const wanted = item.kind === "answer" ? item.after : undefined;
  const after = Math.min(wanted ?? state.last, state.last);
  const question = item.kind === "answer" ? state.questions.get(item.permission) : undefined;
  const turn = item.kind === "cancel" ? item.turn : (question?.turn ?? "");
  const late =
    (item.kind === "answer" && !question?.open) ||
    (item.kind === "cancel" && state.ends.has(item.turn));
  if (late) return { turn, after, how: "late" };
  if (item.key !== "") {
    state.keys.set(item.key, { turn, after, attempt: 1, delivered: false, requests: new Map() });
  }
  state.inbox.push({ item });
  return { turn, after, how: "new" };
}
