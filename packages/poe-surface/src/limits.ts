import { POE_LIMITS } from "@acp-kit/poe-protocol";
import { FLUSH_PERIOD_MS } from "@acp-kit/relay";

/** Times and sizes of one response. Milliseconds, UTF-16 units. */
export type ResponseLimits = {
  /** How long a turn waits for its client to come back, before and after anything of the answer was sent. */
  readonly graceBeforeOutputMs: number;
  readonly graceAfterOutputMs: number;
  /** A write that the client does not take within this time ends the connection. */
  readonly writeTimeoutMs: number;
  /** A response ends before its turn at any of these: they lie inside the platform's own limits. */
  readonly parkAfterMs: number;
  readonly parkTextCharacters: number;
  readonly parkEvents: number;
  /** The platform's own limit of a response, and how long before it a closed connection is the platform's doing. */
  readonly platformLimitMs: number;
  readonly platformLimitMarginMs: number;
  /** Distance of the instants at which text goes out. */
  readonly flushPeriodMs: number;
  /** Distance of the spinner's frames, and the silence after which it comes back behind text. */
  readonly spinnerMs: number;
  readonly silenceMs: number;
  /** A spinner frame that says the same again is sent after this time only. */
  readonly spinnerRepeatMs: number;
  /** Up to this length an answer is sent again with its spinner; above, marks are appended, this far apart. */
  readonly shortBodyCharacters: number;
  readonly markMs: number;
  /** A comment goes out when nothing else did for this long: proxies cut what is silent. */
  readonly keepAliveMs: number;
  /** Silence of the agent that is said: without an open tool call, and with one. */
  readonly stallMs: number;
  readonly toolStallMs: number;
};

const MINUTE_MS = 60_000;

export const RESPONSE_LIMITS: ResponseLimits = {
  graceBeforeOutputMs: 2 * MINUTE_MS,
  graceAfterOutputMs: 5_000,
  writeTimeoutMs: 30_000,
  parkAfterMs: 55 * MINUTE_MS,
  parkTextCharacters: 480_000,
  parkEvents: 9_500,
  platformLimitMs: POE_LIMITS.responseMs,
  platformLimitMarginMs: 5 * MINUTE_MS,
  flushPeriodMs: FLUSH_PERIOD_MS,
  spinnerMs: 3_000,
  silenceMs: 8_000,
  spinnerRepeatMs: 16_000,
  shortBodyCharacters: 4_000,
  markMs: MINUTE_MS,
  keepAliveMs: 15_000,
  stallMs: 2 * MINUTE_MS,
  toolStallMs: 15 * MINUTE_MS,
};
