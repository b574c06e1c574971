import type { FakeSlack } from "@acp-kit/testkit";
import { type Logger, LogLevel, retryPolicies, WebClient } from "@slack/web-api";

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

/** Slack's own client as it is without settings, but for waits that a test can afford. */
export function createTheirClient({ apiUrl, app }: Pick<FakeSlack, "apiUrl" | "app">): WebClient {
  return new WebClient(app.botToken, {
    slackApiUrl: apiUrl,
    logger: quietLogger,
    retryConfig: { ...retryPolicies.tenRetriesInAboutThirtyMinutes, minTimeout: 10 },
  });
}
