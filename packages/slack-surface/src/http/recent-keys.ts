/** Keys that were seen not long ago, at most so many of them. */
export class RecentKeys {
  readonly #lifeMs: number;
  readonly #max: number;
  /** Oldest first. */
  readonly #seenAt = new Map<string, number>();

  constructor(lifeMs: number, max: number) {
    this.#lifeMs = lifeMs;
    this.#max = max;
  }

  has(key: string, now: number): boolean {
    const at = this.#seenAt.get(key);
    return at !== undefined && now - at < this.#lifeMs;
  }

  add(key: string, now: number): void {
    this.#seenAt.delete(key);
    this.#seenAt.set(key, now);
    for (const [oldest, at] of this.#seenAt) {
      if (this.#seenAt.size <= this.#max && now - at < this.#lifeMs) break;
      this.#seenAt.delete(oldest);
    }
  }
}
