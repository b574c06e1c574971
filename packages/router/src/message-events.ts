import type { EventBody } from "./events.ts";
import { textOf } from "./prompt-blocks.ts";
import type { PromptItem } from "./store.ts";

/** Says that a message was taken, and what it asks. Pure. @param behind - The turn that has to end first, if any. */
export function createQueuedEvent(item: PromptItem, attempt: number, behind?: string): EventBody {
  const { user: who, key } = item;
  const waits = behind !== undefined && { behind };
  return { kind: "turn-queued", who, text: textOf(item), key, attempt, ...waits };
}

/** Says that the agent took a message in the turn that ran. Pure. */
export function createSteeredEvent(item: PromptItem): EventBody {
  const { user: who, key } = item;
  return { kind: "steered", who, text: textOf(item), key };
}
