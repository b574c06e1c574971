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

/** `later`: it could not be read now, and may be some other time. */
export type MissedMessages =
  | { readonly kind: "read"; readonly messages: readonly WireMessage[] }
  | { readonly kind: "refused" }
  | { readonly kind: "later" };

/** What was said in a place since. Of very much a channel gives the newest, and a thread the oldest. Never rejects. */
export async function readMissed(
  { queue, clock }: Pick<SlackWorkspace, "queue" | "clock">,
  { channel, thread, after }: MissedPlace,
): Promise<MissedMessages> {
  const method = thread === undefined ? "conversations.history" : "conversations.replies";
  const messages: WireMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = cursor;
    const result = await queue.run({
      ...{ method, priority: "tools", channel, deadline: clock.now() + PAGE_WAIT_MS },
      args: () => ({
        ...{ channel, oldest: after, limit: PAGE_MESSAGES },
        ...(thread !== undefined && { ts: thread }),
        ...(asked !== undefined && { cursor: asked }),
      }),
    });
    if (result.kind === "refused") return { kind: "refused" };
    const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
    if (!parsed?.success) return { kind: "later" };
    messages.push(...parsed.data.messages);
    cursor = parsed.data.response_metadata.next_cursor;
    if (!parsed.data.has_more || !cursor) break;
  }
  // The root of a thread comes with every page of it.
  return { kind: "read", messages: messages.filter(({ ts = "" }) => Number(ts) > Number(after)) };
}
