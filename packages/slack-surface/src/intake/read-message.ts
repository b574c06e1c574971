import { z } from "zod";
import type { SlackWorkspace } from "../workspace.ts";
import { messageSchema, type WireMessage } from "./event-schema.ts";

const answerSchema = z.object({ messages: z.array(messageSchema) });

/** How long the platform may take to show a message, in milliseconds: something waits for its acknowledgement. */
const WAIT_MS = 1_500;

/** One message as it stands in a channel now, in a thread or not; undefined when it cannot be had. Never rejects. */
export async function readMessage(
  { queue, clock }: Pick<SlackWorkspace, "queue" | "clock">,
  channel: string,
  ts: string,
): Promise<WireMessage | undefined> {
  const result = await queue.run({
    ...{ method: "conversations.replies", priority: "question", channel },
    deadline: clock.now() + WAIT_MS,
    args: () => ({ channel, ts, oldest: ts, latest: ts, inclusive: true, limit: 1 }),
  });
  const parsed = result.kind === "ok" ? answerSchema.safeParse(result.body) : undefined;
  return parsed?.data?.messages.find((message) => message.ts === ts);
}
