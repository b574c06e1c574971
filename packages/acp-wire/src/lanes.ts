/** Something that must run in its turn; a promise means that it is not done yet. It never rejects. */
export type Task = () => PromiseLike<unknown> | undefined;

/**
 * Keeps the order of each session without making one wait for another.
 *
 * A lane exists only while a notification handler of its session is unfinished; what comes in for
 * that session meanwhile waits behind it. While no lane exists everything runs at once, in the
 * caller's tick.
 */
export class Lanes {
  readonly #waiting = new Map<string, Task[]>();
  readonly #onShrink: () => void;
  /** How many tasks wait in all lanes together. */
  size = 0;

  constructor(onShrink: () => void = () => {}) {
    this.#onShrink = onShrink;
  }

  /** Whether nothing waits anywhere, so that the caller may run at once whatever its lane is. */
  get idle(): boolean {
    return this.#waiting.size === 0;
  }

  /** Runs `task` when everything before it in the lane is done: at once if the lane is free. */
  run(lane: string, task: Task): void {
    const waiting = this.#waiting.get(lane);
    if (waiting !== undefined) {
      waiting.push(task);
      this.size++;
      return;
    }
    const unfinished = task();
    if (unfinished !== undefined) this.hold(lane, unfinished);
  }

  /** Makes a free lane wait for something that was started outside. */
  hold(lane: string, unfinished: PromiseLike<unknown>): void {
    const waiting: Task[] = [];
    this.#waiting.set(lane, waiting);
    void this.#drain(lane, waiting, unfinished);
  }

  async #drain(lane: string, waiting: Task[], first: PromiseLike<unknown>): Promise<void> {
    await first;
    while (waiting.length > 0) {
      for (const task of waiting.splice(0)) {
        this.size--;
        const unfinished = task();
        if (unfinished !== undefined) await unfinished;
      }
      this.#onShrink();
    }
    this.#waiting.delete(lane);
    this.#onShrink();
  }
}
