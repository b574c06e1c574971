/** The time that a surface goes by. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms`, unless disposed before. */
  after(ms: number, run: () => void): Disposable;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
