import {
  admitAt,
  admitsStream,
  emptyBudget,
  PRIORITIES,
  type Priority,
  recordCall,
  recordLimit,
} from "./budget.ts";
import type { QueuedResult, SlackCaller } from "./call-result.ts";
import type { Clock } from "./clock.ts";

/** Calls that may wait in one workspace. What comes after is `late` at once, the least urgent and newest first. */
export const MAX_WAITING_CALLS = 2_000;

export type CallRequest = {
  readonly method: string;
  readonly priority: Priority;
  readonly channel: string;
  /** Asked for when the call is made, so that what it says is fresh. Must not throw. */
  readonly args: () => Readonly<Record<string, unknown>>;
  /** A request with the same key that still waits is superseded: an edit makes an older one needless. */
  readonly key?: string;
  /** Milliseconds since the epoch, from which on it is not made any more. */
  readonly deadline?: number;
};

type Waiting = CallRequest & {
  readonly order: number;
  readonly settle: (result: QueuedResult) => void;
};

/**
 * The calls of one workspace: each waits until its method's budget admits it, the most urgent first, and what is limited
 * all the same waits as long as the platform says. Limits of one method never hold up another.
 */
export class CallQueue implements Disposable {
  readonly #call: SlackCaller;
  readonly #clock: Clock;
  #budget = emptyBudget;
  #waiting: Waiting[] = [];
  /** Keys of calls that are on their way: two of the same key could overtake each other. */
  readonly #flying = new Set<string>();
  #timer: Disposable | undefined;
  #order = 0;
  #isClosed = false;
  readonly #making = new Set<Promise<void>>();

  constructor(call: SlackCaller, clock: Clock) {
    this.#call = call;
    this.#clock = clock;
  }

  /** Calls that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** A call of this method waits. */
  waits(method: string): boolean {
    return this.#waiting.some((each) => each.method === method);
  }

  /** @param liveStreams - Streams that were started and not ended. */
  admitsStream(liveStreams: number): boolean {
    return admitsStream(this.#budget, liveStreams, this.#clock.now());
  }

  /** Resolves when the call was made, or will never be. Never rejects. */
  async run(request: CallRequest): Promise<QueuedResult> {
    const { promise, resolve } = Promise.withResolvers<QueuedResult>();
    if (this.#isClosed) return { kind: "late" };
    const before = this.#waiting.find(({ key }) => key !== undefined && key === request.key);
    if (before) this.#remove(before, { kind: "superseded" });
    this.#order += 1;
    // What takes another's place keeps its turn.
    const order = before?.order ?? this.#order;
    this.#wait({ ...request, order, settle: resolve });
    const last = this.#waiting.at(-1);
    if (last && this.#waiting.length > MAX_WAITING_CALLS) this.#remove(last, { kind: "late" });
    this.#pump();
    return await promise;
  }

  /** What still waits by this key is superseded, without another. */
  drop(key: string): void {
    const waiting = this.#waiting.find((each) => each.key === key);
    if (waiting) this.#remove(waiting, { kind: "superseded" });
  }

  /** Resolves when no call is on its way; those that wait do not count. */
  async idle(): Promise<void> {
    while (this.#making.size > 0) await Promise.all(this.#making);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    for (const each of [...this.#waiting]) this.#remove(each, { kind: "late" });
  }

  #pump(): void {
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const each of [...this.#waiting]) {
      if (each.deadline !== undefined && now >= each.deadline) {
        this.#remove(each, { kind: "late" });
        continue;
      }
      if (each.key !== undefined && this.#flying.has(each.key)) continue;
      const at = admitAt(this.#budget, each, now);
      if (at <= now) this.#begin(each);
      else next = Math.min(next, at, each.deadline ?? at);
    }
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#isClosed || next === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.after(next - now, () => this.#pump());
  }

  #begin(request: Waiting): void {
    const made = this.#make(request).finally(() => this.#making.delete(made));
    this.#making.add(made);
  }

  async #make(request: Waiting): Promise<void> {
    this.#waiting = this.#waiting.filter((each) => each !== request);
    this.#budget = recordCall(this.#budget, request, this.#clock.now());
    if (request.key !== undefined) this.#flying.add(request.key);
    const result = await this.#call(request.method, request.args());
    if (request.key !== undefined) this.#flying.delete(request.key);
    if (result.kind !== "limited") {
      request.settle(result);
      this.#pump();
      return;
    }
    const now = this.#clock.now();
    this.#budget = recordLimit(this.#budget, request, result.retryAfterMs, now);
    const isOutdated =
      request.key !== undefined && this.#waiting.some(({ key }) => key === request.key);
    if (this.#isClosed) request.settle({ kind: "late" });
    else if (isOutdated) request.settle({ kind: "superseded" });
    else this.#wait(request);
    this.#pump();
  }

  #wait(request: Waiting): void {
    this.#waiting.push(request);
    this.#waiting.sort(
      (one, other) =>
        PRIORITIES[one.priority] - PRIORITIES[other.priority] || one.order - other.order,
    );
  }

  #remove(request: Waiting, result: QueuedResult): void {
    this.#waiting = this.#waiting.filter((each) => each !== request);
    request.settle(result);
  }
}
