import type { Report } from "./report.ts";

/** What Slack's own clients do unless they are told otherwise, as it was measured. */
export const library: readonly Report[] = [
  [
    "library-authorize",
    "Who the app is, is asked until it is known, and then never again.",
    "a platform that does not say who the app is, is asked until it does, and never again",
  ],
  [
    "library-options",
    "No client changes another's settings.",
    "options that Slack's socket is given change for every client that shares them; ours share none",
  ],
  [
    "library-pause",
    "A limit of one method pauses no other.",
    "a limit of one method holds up every call of Slack's client, and no other call of ours",
    "the limit of one method holds up no other",
    "one limited or hanging call holds up no other",
  ],
  [
    "library-reconnect",
    "No reconnect ends the process.",
    "a reconnect that fails ends the process of Slack's client, and never ours",
  ],
  [
    "library-retry",
    "A post that may have been made is not made again unseen.",
    "a post whose answer is lost is made twice by Slack's client, and once by ours",
    "after a lost answer, with Slack's own client: one post",
  ],
  [
    "library-streamer",
    "Text that comes while a call is on its way is told once, in one stream.",
    "pieces that come while a stream starts are told again by Slack's helper, and once by ours",
    "a text that comes in many pieces at once starts one stream, and is told once",
  ],
  [
    "library-timeout",
    "No answer is awaited without end.",
    "Slack's client waits for an answer without end, ours 15 s or as long as it is told",
    "after no answer in time",
  ],
];
