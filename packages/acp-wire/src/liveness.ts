/**
 * How long an agent may say nothing at all while something waits for it that takes no time to
 * answer, in milliseconds. A working agent may be silent for ever: it is only asked whether it
 * listens when half of the time is over, and any answer will do. `Infinity` never asks.
 */
export interface SilenceLimits {
  /** When all prompts that it has were cancelled. Default 8,000. */
  cancelledMs?: number | undefined;
  /** When it has no prompt and another call waits, such as `session/new`. Default 60,000. */
  callMs?: number | undefined;
  /**
   * When it also has a prompt that was not cancelled. Default 900,000: an agent that cannot listen
   * while its tools run is slow, not dead.
   */
  promptMs?: number | undefined;
}

/** How much an agent has not answered yet. */
export interface Owed {
  /** Calls that take no time: no prompts, no logins. */
  readonly calls: number;
  readonly cancelledPrompts: number;
  /** Prompts that it may work on for as long as it takes. */
  readonly prompts: number;
}

export interface LivenessOptions {
  readonly limits: SilenceLimits;
  owed(): Owed;
  /** Whether it is this side that does not read. */
  isPaused(): boolean;
  /** Asks the agent for any sign of life. */
  ask(): void;
  /** The agent gave none. Called once; nothing is watched any more. */
  onDeaf(silentMs: number): void;
}

/** How often is looked, in milliseconds. */
const LOOK_MS = 1_000;
/** A look that comes this late says that it was this process that slept, or had no time to read. */
const OVERSLEPT_MS = 3_000;

/** How long this may go on; undefined when nobody waits in vain. Pure. */
export function allowedSilence(
  { calls, cancelledPrompts, prompts }: Owed,
  { cancelledMs = 8_000, callMs = 60_000, promptMs = 900_000 }: SilenceLimits = {},
): number | undefined {
  if (calls === 0 && cancelledPrompts === 0) return undefined;
  if (prompts > 0) return promptMs;
  return cancelledPrompts > 0 ? cancelledMs : callMs;
}

/** Finds the agent that does not listen any more: stopped, hung, or deadlocked. */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #lookMs: number;
  /** Set while something is owed. */
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  /** Since when the agent has been silent, as far as anybody looked. */
  #silentSince = 0;
  /** When the agent was asked for a sign of life. */
  #askedAt: number | undefined;
  /** Set by each sign of life, until the next look. */
  #isHeard = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    const { cancelledMs, callMs, promptMs } = options.limits;
    const shortest = Math.min(cancelledMs ?? Infinity, callMs ?? Infinity, promptMs ?? Infinity);
    this.#lookMs = Math.min(LOOK_MS, shortest / 8);
  }

  /** Something came from the agent. */
  heard(): void {
    this.#isHeard = true;
  }

  /** The agent owes something from now on; it is watched until it owes nothing, or shows that it lives. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#lookedAt = performance.now();
    this.#startOver(this.#lookedAt);
    this.#timer = setInterval(() => this.#look(performance.now()), this.#lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #startOver(now: number): void {
    this.#silentSince = now;
    this.#askedAt = undefined;
    this.#isHeard = false;
  }

  #look(now: number): void {
    const limit = allowedSilence(this.#options.owed(), this.#options.limits);
    // Asked and heard: it lives, whatever it makes of the call.
    if (limit === undefined || (this.#isHeard && this.#askedAt !== undefined)) {
      this.stop();
      return;
    }
    const overslept = now - this.#lookedAt > OVERSLEPT_MS;
    this.#lookedAt = now;
    if (this.#isHeard || overslept || this.#options.isPaused()) this.#startOver(now);
    else if (this.#askedAt !== undefined) {
      if (now - this.#askedAt < limit / 2) return;
      this.stop();
      this.#options.onDeaf(now - this.#silentSince);
    } else if (now - this.#silentSince >= limit / 2) {
      this.#askedAt = now;
      this.#options.ask();
    }
  }
}
