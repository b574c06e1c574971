import type { SlackWorkspace } from "../workspace.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** Says something of the question above. Nothing is lost when it does not arrive: it is not tried again. */
export async function sayBelow(
  { queue }: Pick<SlackWorkspace, "queue">,
  { channel, thread }: Pick<ThreadPlace, "channel" | "thread">,
  text: string,
): Promise<void> {
  const where = { channel, ...(thread !== undefined && { thread_ts: thread }) };
  const args = () => ({ ...where, text, unfurl_links: false, unfurl_media: false });
  await queue.run({ method: "chat.postMessage", channel, priority: "question", args });
}
