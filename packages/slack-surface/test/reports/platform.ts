import type { Report } from "./report.ts";

/** Public reports about Slack's own libraries and about bots on them, in the order of the list of 22. */
export const platform: readonly Report[] = [
  [
    "slack-7-1",
    "A reconnect that is refused does not end the process.",
    "a reconnect that fails ends the process of Slack's client, and never ours",
    "a token that is refused is a state of health, and is tried again",
  ],
  [
    "slack-7-2",
    "A platform that fails to give an address is asked again, for ever and at most 30 s later.",
    "when the platform gives no address",
    "for ever, and at most 30 s later",
  ],
  [
    "slack-7-3",
    "A connection that is sent away before it is greeted is replaced.",
    "when it meets: %s",
    "when one is not greeted within 15 s",
  ],
  [
    "slack-7-6",
    "A stream that has expired loses nothing: what it did not show comes in another message.",
    "a stream that the platform has ended loses nothing, and nothing is told twice",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
  ],
  [
    "slack-7-7",
    "A stream ends by its age, however busy it is.",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
  ],
];
