import type { Checkpoint, ConversationLog } from "@acp-kit/router";
import { type DeliveryState, formatDeliveryState, parseDeliveryState } from "./delivery-state.ts";

/** The surface's name among the consumers of a log. */
const CONSUMER = "poe";

/** How far a conversation was delivered, and what is known of that place. */
export type Delivered = { readonly seq: number; readonly state: DeliveryState };

export async function readDelivered(log: ConversationLog): Promise<Delivered> {
  const { seq, state } = await log.checkpoint(CONSUMER);
  return { seq, state: parseDeliveryState(state) };
}

/**
 * Confirms what was delivered. The place never moves back: where another response was ahead, its place and state stay,
 * and only the keys are added.
 *
 * @param delivered - Keys of messages whose part is complete.
 */
export async function writeDelivered(
  log: ConversationLog,
  seq: number,
  state: DeliveryState,
  delivered: readonly string[],
): Promise<void> {
  for (;;) {
    const before = await log.checkpoint(CONSUMER);
    const to: Checkpoint =
      before.seq > seq
        ? { ...before, delivered }
        : { seq, state: formatDeliveryState(state), delivered };
    if (await log.confirm(CONSUMER, before.seq, to)) return;
  }
}
