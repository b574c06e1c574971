import { setTimeout as delay } from "node:timers/promises";

/**
 * How long to wait for what becomes of a message that the daemon has accepted, in milliseconds. A long tool call may run
 * before the model reads it; then it counts as taken.
 */
const TAKE_MS = 5_000;

type Steer = { readonly text: string; readonly fate: PromiseWithResolvers<"told" | "dropped"> };

/** Messages that were sent into the running turn, as long as the daemon may drop them. */
export class Steers {
  readonly #open = new Set<Steer>();
  /** Those that were answered with yes before anybody knew. */
  readonly #promised = new Set<Steer>();

  /**
   * Sends one, and finds out whether the turn takes it.
   *
   * @param send - Resolves once the daemon has accepted it.
   */
  async send(text: string, send: () => Promise<void>): Promise<boolean> {
    const steer: Steer = { text: text.trim(), fate: Promise.withResolvers() };
    this.#open.add(steer);
    try {
      await send();
    } catch (error) {
      this.#open.delete(steer);
      throw error;
    }
    const over = new AbortController();
    const late = delay(TAKE_MS, "late", { signal: over.signal }).catch(() => "late");
    const fate = await Promise.race([steer.fate.promise, late]);
    over.abort();
    if (fate === "late" && this.#open.has(steer)) this.#promised.add(steer);
    return fate !== "dropped";
  }

  /** The model was told a message. True when it came from here. */
  noteTold(text: string): boolean {
    const steer = [...this.#open].find((one) => one.text === text.trim());
    if (steer === undefined) return false;
    this.#open.delete(steer);
    this.#promised.delete(steer);
    steer.fate.resolve("told");
    return true;
  }

  /** The turn is over: the daemon drops what it has not told. Gives the texts of which everybody thinks that it was. */
  endTurn(): readonly string[] {
    for (const steer of this.#open) steer.fate.resolve("dropped");
    this.#open.clear();
    const broken = Array.from(this.#promised, ({ text }) => text);
    this.#promised.clear();
    return broken;
  }
}
