import { ErrorCode, type Logger, LogLevel, WebClient } from "@slack/web-api";
import type { SlackCaller } from "./budget/call-result.ts";

export type SlackCallerOptions = {
  readonly token: string;
  /** With a slash at its end. Slack's own by default. */
  readonly apiUrl?: string;
  /** How long an answer may take, in milliseconds. [15,000] */
  readonly timeoutMs?: number;
};

/** Words of the platform after which a call may have been carried out all the same. */
const doubtful: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
]);

const limited: ReadonlySet<string> = new Set(["ratelimited", "rate_limited"]);

/** What to wait for a limit that comes without a number, in milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 10_000;

/**
 * Calls through Slack's own client, with what it does by itself switched off: it would pause all calls for the limit of
 * one, wait for ever, and send a post again that may have been carried out.
 */
export function createSlackCaller({
  token,
  apiUrl,
  timeoutMs = 15_000,
}: SlackCallerOptions): SlackCaller {
  const client = new WebClient(token, {
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    timeout: timeoutMs,
    logger: silent,
    // The queue decides what goes out, and when.
    maxRequestConcurrency: Number.MAX_SAFE_INTEGER,
  });
  return async (method, args) => {
    try {
      return { kind: "ok", body: { ...(await client.apiCall(method, { ...args })) } };
    } catch (error) {
      const { code, retryAfter, data } = error as SlackClientError;
      if (code === ErrorCode.RateLimitedError) {
        return { kind: "limited", retryAfterMs: readRetryAfter(retryAfter) };
      }
      const word = data?.error;
      if (code !== ErrorCode.PlatformError || word === undefined || doubtful.has(word)) {
        return { kind: "unknown", cause: error };
      }
      if (limited.has(word)) {
        return { kind: "limited", retryAfterMs: readRetryAfter(undefined) };
      }
      return { kind: "refused", error: word, body: { ...data } };
    }
  };
}

const nothing = () => undefined;

/** What goes wrong is in the result; the client's own words may hold what people wrote. */
const silent: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

type SlackClientError = {
  readonly code?: string;
  readonly retryAfter?: number;
  readonly data?: { readonly error?: string };
};

function readRetryAfter(seconds: number | undefined): number {
  return seconds !== undefined && seconds > 0 ? seconds * 1_000 : DEFAULT_RETRY_AFTER_MS;
}
