import type { SlackBlock } from "../blocks/render-question.ts";
import type { Priority } from "../budget/budget.ts";
import type { CallQueue } from "../budget/call-queue.ts";
import type { Clock } from "../budget/clock.ts";
import { findMarked, markWith } from "./find-marked.ts";

export type PostOnceOptions = {
  readonly queue: CallQueue;
  readonly clock: Clock;
  /** Of this app's bot. */
  readonly botId: string;
  readonly channel: string;
  readonly thread: string | undefined;
  /** Names this message in its metadata, and no other. */
  readonly id: string;
  readonly priority: Priority;
  /** Asked for when the call is made. */
  readonly body: () => { readonly text: string; readonly blocks?: readonly SlackBlock[] };
  /** An earlier attempt may have been carried out, though nobody knows: it is looked for first. */
  readonly mayBeThere: boolean;
};

/** What became of the post. */
export type PostedOnce =
  /** `isEarlier`: it was there already, and may show something older. */
  | { readonly kind: "posted"; readonly ts: string; readonly isEarlier: boolean }
  | { readonly kind: "undeliverable"; readonly error: string };

/** After a call of which nothing is known, the next comes so much later, in milliseconds; after the last, none. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Posts a message that is there once, whatever becomes of the calls. Never rejects. */
export async function postOnce(options: PostOnceOptions): Promise<PostedOnce> {
  const { queue, clock, botId, channel, thread, id, priority, body } = options;
  let mayBeThere = options.mayBeThere;
  for (const ms of [...RETRY_AFTER_MS, undefined]) {
    if (mayBeThere) {
      const found = await findMarked(queue, { channel, thread, id, botId });
      if (found.kind === "found") return { kind: "posted", ts: found.ts, isEarlier: true };
      mayBeThere = found.kind === "unknown";
    }
    if (!mayBeThere) {
      const result = await queue.run({
        method: "chat.postMessage",
        channel,
        priority,
        args: () => ({
          channel,
          ...(thread !== undefined && { thread_ts: thread }),
          metadata: markWith(id),
          unfurl_links: false,
          unfurl_media: false,
          ...body(),
        }),
      });
      if (result.kind === "ok") {
        return { kind: "posted", ts: String(result.body["ts"]), isEarlier: false };
      }
      if (result.kind === "refused") return { kind: "undeliverable", error: result.error };
      if (result.kind !== "unknown") return { kind: "undeliverable", error: "closed" };
      mayBeThere = true;
    }
    if (ms !== undefined) await passed(clock, ms);
  }
  return { kind: "undeliverable", error: "no_answer" };
}

async function passed(clock: Clock, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.after(ms, resolve);
  await promise;
}
