import { z } from "zod";
import { messageSchema, type WireMessage } from "../intake/event-schema.ts";
import type { SlackWorkspace } from "../workspace.ts";

const PAGE_MESSAGES = 200;
const MAX_PAGES = 5;

/** How long a page may take, waiting for its turn included, in milliseconds. */
const PAGE_WAIT_MS = 10 * 60_000;

const pageSchema = z.object({
  messages: z.array(messageSchema),
  has_more: z.boolean().catch(false),
  response_metadata: z.object({ next_cursor: z.string() }).partial().catch({}),
});

/** Where messages may have been missed. */
export type MissedPlace = {
  readonly channel: string;
  /** Absent: in the channel itself, whose threads are not in it. */
  readonly thread?: string;
  /** The `ts` after which they were. */
  readonly after: string;
};

/** A message of the channel itself, and the newest one of its thread, where it has one. */
export type ThreadHead = { readonly thread: string; readonly latest: string | undefined };

/** `later`: it could not be read now, and may be some other time. */
export type MissedMessages =
  | {
      readonly kind: "read";
      readonly messages: readonly WireMessage[];
      /** Of all messages of the channel itself that the pages have, older ones too: at most of the newest 1,000. */
      readonly heads: readonly ThreadHead[];
      readonly newest: string | undefined;
      /** Nothing that was said after the instant is left out. */
      readonly isWhole: boolean;
    }
  | { readonly kind: "refused" }
  | { readonly kind: "later" };

/**
 * What was said in a place since. A channel's pages begin with the newest and are read until they go back far enough;
 * those of a thread begin there with the oldest. Never rejects.
 */
export async function readMissed(
  { queue, clock }: Pick<SlackWorkspace, "queue" | "clock">,
  { channel, thread, after }: MissedPlace,
): Promise<MissedMessages> {
  const method = thread === undefined ? "conversations.history" : "conversations.replies";
  const found: WireMessage[] = [];
  const isMissed = ({ ts = "" }: WireMessage) => Number(ts) > Number(after);
  let cursor: string | undefined;
  let isWhole = false;
  for (let page = 0; page < MAX_PAGES && !isWhole; page += 1) {
    const asked = cursor;
    const result = await queue.run({
      ...{ method, priority: "tools", channel, deadline: clock.now() + PAGE_WAIT_MS },
      args: () => ({
        ...{ channel, limit: PAGE_MESSAGES },
        ...(thread !== undefined && { ts: thread, oldest: after }),
        ...(asked !== undefined && { cursor: asked }),
      }),
    });
    if (result.kind === "refused") return { kind: "refused" };
    const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
    if (!parsed?.success) return { kind: "later" };
    const { messages, has_more: hasMore, response_metadata: rest } = parsed.data;
    found.push(...messages);
    cursor = rest.next_cursor;
    const isBehind = thread === undefined && messages.some((message) => !isMissed(message));
    isWhole = isBehind || !hasMore || !cursor;
  }
  const heads = found.flatMap(({ ts, thread_ts: root = ts, latest_reply: latest }) =>
    thread === undefined && ts !== undefined && root === ts ? [{ thread: ts, latest }] : [],
  );
  const instants = found.flatMap(({ ts }) => ts ?? []);
  const newest = instants.reduce<string | undefined>(
    (last = "", ts) => (ts > last ? ts : last),
    undefined,
  );
  // The root of a thread comes with every page of it.
  return { kind: "read", messages: found.filter(isMissed), heads, newest, isWhole };
}
