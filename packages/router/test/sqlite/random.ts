/** Numbers that look random and come again with their seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** From 0 to below 1. By the algorithm mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** From `least` to `most`, both included. */
    integer: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability: number) => next() < probability,
    pick: <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value,
  };
}
