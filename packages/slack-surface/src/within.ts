import type { Clock } from "./budget/clock.ts";

/** What `work` comes to, or undefined when it takes longer: it goes on then, and nobody waits for it. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  using _timer = clock.after(ms, () => late.resolve(undefined));
  return await Promise.race([work, late.promise]);
}
