import { randomUUID } from "node:crypto";
import { RouterError } from "./errors.ts";
import type { LogEvent, NewEvent, PermissionAsk, TurnOutcome } from "./events.ts";
import { isVersionOf } from "./is-version-of.ts";
import { formatRecord } from "./record.ts";
import {
  type Checkpoint,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  MAX_QUEUED,
  MAX_WAITING,
  type OpenTurn,
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

/** A turn from its post on. */
type TurnRow = {
  readonly who: string;
  readonly key: string;
  /** Seq of its start; infinite until then. */
  start: number;
  end?: { seq: number; outcome: TurnOutcome };
};

class MemoryConversation {
  readonly events: LogEvent[] = [];
  readonly keys = new Map<string, KeyRow>();
  /** In order of arrival. */
  readonly turns = new Map<string, TurnRow>();
  /** Every question ever asked, and whether it still waits for its answer. */
  readonly questions = new Map<string, { turn: string; ask: PermissionAsk; open: boolean }>();
  readonly checkpoints = new Map<string, Checkpoint>();
  inbox: TakenItem[] = [];
  /** Prompts that were taken and have not started: the next owner gets them again. */
  taken: TakenItem[] = [];
  fence = 0;
  held = false;

  get last(): number {
    return this.events.length;
  }
}

/** A store that forgets everything with its process: for tests, and for relays that keep nothing. */
export class MemoryStore implements Store {
  readonly epoch: string = randomUUID();
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
    if (!state.held || state.fence !== lease.fence) return;
    state.held = false;
    state.inbox = [...state.taken, ...state.inbox];
    state.taken = [];
    if (state.inbox.length > 0) this.#announce(lease.conversation, "inbox");
  }

  async orphans(): Promise<readonly string[]> {
    return [...this.#conversations]
      .filter(([, state]) => !state.held && state.inbox.length > 0)
      .map(([conversation]) => conversation);
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
    state.taken.push(...taken.filter((one) => "turn" in one));
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
    if (value === undefined) {
      this.#records.delete(key);
      return;
    }
    this.#records.set(key, JSON.parse(formatRecord(key, value)));
  }

  async redact(lease: Lease, message: string): Promise<void> {
    const { events } = this.#owned(lease);
    for (const [at, event] of events.entries()) {
      if (event.kind !== "turn-queued" && event.kind !== "steered") continue;
      if (isVersionOf(event.key ?? "", message)) events[at] = { ...event, text: "" };
    }
    this.#announce(lease.conversation, "log");
  }

  async turnEnd(conversation: string, turn: string): Promise<number | undefined> {
    return this.#conversations.get(conversation)?.turns.get(turn)?.end?.seq;
  }

  async openTurns(conversation: string): Promise<readonly OpenTurn[]> {
    const state = this.#conversations.get(conversation);
    if (!state) return [];
    const questions = [...state.questions.values()].filter(({ open }) => open);
    return (
      [...state.turns]
        .filter(([, { end }]) => !end)
        // Of two that have not started the difference is no number, which leaves them as they are.
        .sort(([, a], [, b]) => a.start - b.start || 0)
        .map(([turn, { who, key, start }]) => ({
          turn,
          who,
          key,
          started: Number.isFinite(start),
          asks: questions.filter((question) => question.turn === turn).map(({ ask }) => ask),
        }))
    );
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
  const turn = event.turn ?? "";
  switch (event.kind) {
    case "turn-queued":
      addTurn(state, turn, event.who, event.key);
      return;
    case "turn-start":
      addTurn(state, turn, event.who, "").start = event.seq;
      leaveInbox(state, turn);
      return;
    case "turn-end":
      addTurn(state, turn, "", "").end = { seq: event.seq, outcome: event.outcome };
      leaveInbox(state, turn);
      return;
    case "permission-ask":
      if (state.questions.get(event.ask.id)?.open) return;
      // One that has ended keeps its place in the map until it is deleted.
      state.questions.delete(event.ask.id);
      state.questions.set(event.ask.id, { turn, ask: event.ask, open: true });
      return;
    case "permission-answer": {
      const question = state.questions.get(event.permission);
      if (question) question.open = false;
      return;
    }
    default:
      return;
  }
}

function leaveInbox(state: MemoryConversation, turn: string): void {
  const waits = (one: TakenItem) => !("turn" in one && one.turn === turn);
  state.inbox = state.inbox.filter(waits);
  state.taken = state.taken.filter(waits);
}

function addTurn(state: MemoryConversation, turn: string, who: string, key: string): TurnRow {
  const known = state.turns.get(turn);
  if (known) return known;
  const row = { who, key, start: Number.POSITIVE_INFINITY };
  state.turns.set(turn, row);
  return row;
}

function postPrompt(state: MemoryConversation, item: PromptItem): Posted {
  const row = item.key === "" ? undefined : state.keys.get(item.key);
  if (row && isRepeat(state, row, item)) {
    if (item.request && !row.requests.has(item.request)) row.requests.set(item.request, item.at);
    return { turn: row.turn, after: row.after, how: "repeat" };
  }
  checkRoom(state);
  const waiting = state.taken.length + state.inbox.filter((one) => "turn" in one).length;
  if (waiting >= MAX_QUEUED) {
    const message = `${waiting} messages wait in this conversation already`;
    throw new RouterError(message, { code: "queue-full" });
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
  addTurn(state, next.turn, item.user, item.key);
  state.inbox.push({ item, turn: next.turn, attempt: next.attempt });
  return { turn: next.turn, after: next.after, how: "new" };
}

function checkRoom(state: MemoryConversation): void {
  if (state.inbox.length < MAX_WAITING) return;
  const message = `${state.inbox.length} items wait in this conversation already`;
  throw new RouterError(message, { code: "queue-full" });
}

function isRepeat(state: MemoryConversation, row: KeyRow, item: PromptItem): boolean {
  if (item.repeat === "attach") return true;
  const asked = item.request ? row.requests.get(item.request) : undefined;
  if (asked !== undefined && item.at - asked < REDRIVE_WINDOW_MS) return true;
  return !row.delivered && state.turns.get(row.turn)?.end?.outcome.kind !== "cancelled";
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
    (item.kind === "cancel" && state.turns.get(item.turn)?.end !== undefined);
  if (late) return { turn, after, how: "late" };
  checkRoom(state);
  if (item.key !== "") {
    state.keys.set(item.key, { turn, after, attempt: 1, delivered: false, requests: new Map() });
  }
  state.inbox.push({ item });
  return { turn, after, how: "new" };
}
