import { z } from "zod";
import type { CallQueue } from "../budget/call-queue.ts";

const pageSchema = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      text: z.string().catch(""),
      bot_id: z.string().optional().catch(undefined),
      streaming_state: z.string().optional().catch(undefined),
    }),
  ),
});

/** Streams of the app in a thread that show nothing; undefined when nobody could say. */
export async function findEmptyStreams(
  queue: CallQueue,
  {
    channel,
    thread,
    botId,
  }: { readonly channel: string; readonly thread: string; readonly botId: string },
): Promise<readonly string[] | undefined> {
  const result = await queue.run({
    method: "conversations.replies",
    channel,
    priority: "final",
    args: () => ({ channel, ts: thread, limit: 200 }),
  });
  const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
  return parsed?.data?.messages
    .filter(({ bot_id: bot, streaming_state: state }) => bot === botId && state !== undefined)
    .filter(({ text }) => text.trim() === "")
    .map(({ ts }) => ts);
}
