import { COMMERCIAL_READING, POSTING, TIERS } from "./limits.ts";

/** Which rate a method has: a tier, or one of its own. */
export type Rate = keyof typeof TIERS | "posting" | "reading" | "free";

/** Seconds to wait, or nothing when the call may pass. Calls that were refused do not count. */
export class Rates {
  readonly #isCommercial: boolean;
  /** Instants of the calls of the last minute, by method. */
  readonly #calls = new Map<string, number[]>();
  readonly #posting = new Map<string, { tokens: number; at: number }>();

  constructor(isCommercial: boolean) {
    this.#isCommercial = isCommercial;
  }

  admit(method: string, rate: Rate, channel: string, now: number): number | undefined {
    if (rate === "free") return undefined;
    if (rate === "posting") return this.#admitPost(method, channel, now);
    if (rate === "reading") {
      return this.#admit(method, this.#isCommercial ? COMMERCIAL_READING.perMinute : TIERS[3], now);
    }
    return this.#admit(method, TIERS[rate], now);
  }

  #admit(method: string, perMinute: number, now: number): number | undefined {
    const calls = (this.#calls.get(method) ?? []).filter((at) => at > now - 60_000);
    this.#calls.set(method, calls);
    const [first] = calls;
    if (calls.length >= perMinute && first !== undefined) {
      return Math.max(1, Math.ceil((first + 60_000 - now) / 1_000));
    }
    calls.push(now);
    return undefined;
  }

  #admitPost(method: string, channel: string, now: number): number | undefined {
    const before = this.#posting.get(channel) ?? { tokens: POSTING.burst, at: now };
    const earned = ((now - before.at) / 1_000) * POSTING.perSecond;
    const tokens = Math.min(POSTING.burst, before.tokens + earned);
    if (tokens < 1 - 1e-9) return Math.max(1, Math.ceil((1 - tokens) / POSTING.perSecond));
    const wait = this.#admit(method, POSTING.workspacePerMinute, now);
    if (wait !== undefined) return wait;
    this.#posting.set(channel, { tokens: tokens - 1, at: now });
    return undefined;
  }
}
