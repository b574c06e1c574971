import { createHmac, timingSafeEqual } from "node:crypto";

/** How far the time of a request may be from ours, in milliseconds. */
export const SIGNATURE_WINDOW_MS = 300_000;

export type SignedRequest = {
  /** As it came, byte by byte. */
  readonly body: Uint8Array;
  /** Seconds since the epoch, from `x-slack-request-timestamp`. */
  readonly timestamp: string;
  /** `v0=` and 64 hex digits, from `x-slack-signature`. */
  readonly signature: string;
};

/**
 * Whether one of the secrets has signed a request just now. Two may be valid while one is replaced. An empty secret signs
 * nothing. Pure, and as fast for a wrong signature as for a right one.
 *
 * @param now - Milliseconds since the epoch.
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function isSignedBy(
  secrets: readonly string[],
  { body, timestamp, signature }: SignedRequest,
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return false;
  if (Math.abs(now - Number(timestamp) * 1_000) > SIGNATURE_WINDOW_MS) return false;
  const given = Buffer.from(signature);
  let isRight = false;
  for (const secret of secrets) {
    if (secret === "") continue;
    const hmac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body);
    if (timingSafeEqual(given, Buffer.from(`v0=${hmac.digest("hex")}`))) isRight = true;
  }
  return isRight;
}
