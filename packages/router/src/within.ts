import { RouterError } from "./errors.ts";

/**
 * The result of `work`, if it comes within `ms`.
 *
 * @throws RouterError `timeout` otherwise; what comes later is dropped.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new RouterError(`The agent did not answer within ${ms} ms`, { code: "timeout" })),
    ms,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
