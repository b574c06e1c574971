/**
 * Numbers of the platform. Lengths are in code points.
 *
 * @see https://docs.slack.dev/reference/methods and https://docs.slack.dev/reference/block-kit
 */
export const SLACK_LIMITS = {
  /** `markdown_text` of one call, one chunk of text, and all `markdown` blocks of a message together. */
  markdownChars: 12_000,
  /** `text` of a post; the rest is cut off with the warning `message_truncated`. Also a whole stream. */
  messageChars: 40_000,
  /** `text` of an edit. */
  updateChars: 4_000,
  messageBlocks: 50,
  viewBlocks: 100,
  /** `title`, `details` and `output` of a task, each time. */
  taskChars: 256,
  /** From the start of a stream to the end that the platform makes of it. */
  streamLifeMs: 300_000,
  /** Within which a delivery is acknowledged. */
  ackMs: 3_000,
  /** After a failed delivery of an event. */
  retryDelaysMs: [0, 60_000, 300_000],
  triggerLifeMs: 3_000,
  responseUrlLifeMs: 1_800_000,
  responseUrlUses: 5,
  /** After which a thread's free status vanishes. */
  statusLifeMs: 120_000,
  /** After which a session is not `processing` any more. */
  processingLifeMs: 3_600_000,
  loadingMessages: 10,
  loadingMessageChars: 50,
  sessionTitleChars: 200,
  sockets: 10,
  reactionsOfOnePerson: 23,
} as const;

/** Calls per minute, method and workspace. */
export const TIERS = { 1: 1, 2: 20, 3: 50, 4: 100 } as const;

/**
 * `chat.postMessage`: one a second in each channel. How large a burst may be, and how many posts a workspace may have
 * in a minute, the platform does not publish: these two are ours.
 */
export const POSTING = { perSecond: 1, burst: 5, workspacePerMinute: 300 } as const;

/** `conversations.history` and `.replies` for an app that is sold outside of the Marketplace. */
export const COMMERCIAL_READING = { perMinute: 1, messages: 15 } as const;

/** How long a text is for the platform. */
export function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
