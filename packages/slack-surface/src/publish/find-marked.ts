import { z } from "zod";
import type { CallQueue } from "../budget/call-queue.ts";

export type FoundMessage =
  | { readonly kind: "found"; readonly ts: string }
  | { readonly kind: "absent" }
  /** Nobody could say. */
  | { readonly kind: "unknown" };

const EVENT_TYPE = "acp_kit_part";

const pageSchema = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      bot_id: z.string().optional().catch(undefined),
      metadata: z
        .object({
          event_type: z.literal(EVENT_TYPE),
          event_payload: z.object({ id: z.string().optional().catch(undefined) }),
        })
        .optional()
        .catch(undefined),
    }),
  ),
  response_metadata: z
    .object({ next_cursor: z.string().catch("") })
    .optional()
    .catch(undefined),
});

/** Pages that are read at most. */
const MAX_PAGES = 5;

/** Metadata by which a message is found again. */
export function markWith(id: string): Readonly<Record<string, unknown>> {
  return { event_type: EVENT_TYPE, event_payload: { id } };
}

/** Where a message is looked for, and by what. */
export type MarkedPlace = {
  readonly channel: string;
  /** Absent: in the channel itself. */
  readonly thread: string | undefined;
  readonly id: string;
  /** Of this app's bot: metadata can be copied by any other app. */
  readonly botId: string;
};

/** Looks for the message that the bot has posted with this id in its metadata. */
export async function findMarked(
  queue: CallQueue,
  { channel, thread, id, botId }: MarkedPlace,
): Promise<FoundMessage> {
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const from = cursor;
    const result = await queue.run({
      method: thread === undefined ? "conversations.history" : "conversations.replies",
      channel,
      priority: "final",
      args: () => ({
        channel,
        ...(thread !== undefined && { ts: thread }),
        limit: 200,
        include_all_metadata: true,
        ...(from !== "" && { cursor: from }),
      }),
    });
    const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
    if (!parsed?.success) return { kind: "unknown" };
    const { messages, response_metadata: rest } = parsed.data;
    const found = messages.find(
      ({ bot_id: bot, metadata }) => bot === botId && metadata?.event_payload.id === id,
    );
    if (found) return { kind: "found", ts: found.ts };
    cursor = rest?.next_cursor ?? "";
    if (cursor === "") return { kind: "absent" };
  }
  return { kind: "unknown" };
}
