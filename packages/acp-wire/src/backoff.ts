/** First and longest pause before an agent is started again, in milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** An agent that lived this long, in milliseconds, was healthy: its death is a first one. */
export const HEALTHY_MS = 60_000;

/**
 * How long to wait before the next start after so many failures in a row: 1 s, doubled each time,
 * at most 60 s, less up to half of it by chance, so that many agents do not come back at once.
 *
 * @param random - From 0 to 1.
 */
export function backoffMs(failures: number, random: number): number {
  if (failures <= 0) return 0;
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return full * (1 - random / 2);
}
