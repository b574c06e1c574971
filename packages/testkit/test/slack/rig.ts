import { ErrorCode, type Logger, LogLevel, WebClient } from "@slack/web-api";
import { onTestFinished } from "vitest";
import { FakeSlack, type FakeSlackOptions, ManualClock } from "../../src/index.ts";

export type Rig = {
  readonly clock: ManualClock;
  readonly slack: FakeSlack;
  readonly client: WebClient;
};

export async function startSlack(options: FakeSlackOptions = {}): Promise<Rig> {
  const clock = new ManualClock();
  const slack = await FakeSlack.start({ clock, ...options });
  onTestFinished(() => slack[Symbol.asyncDispose]());
  return { clock, slack, client: createClient(slack.apiUrl, slack.app.botToken) };
}

const nothing = () => undefined;

export const quietLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

/** Slack's own client, which neither repeats nor waits. */
export function createClient(slackApiUrl: string, token: string): WebClient {
  return new WebClient(token, {
    slackApiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 5_000,
    logger: quietLogger,
  });
}

/** `ok`, or the platform's word for why not. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    const { code, data, statusCode } = error as {
      code?: string;
      data?: { error?: string };
      statusCode?: number;
    };
    if (code === ErrorCode.HTTPError) return `HTTP ${statusCode}`;
    if (code === ErrorCode.RateLimitedError) return "ratelimited";
    return data?.error ?? `no answer of the platform: ${String(error)}`;
  }
}

/** So many times a letter. */
export function letters(count: number): string {
  return "a".repeat(count);
}
