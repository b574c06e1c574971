import { RouterError } from "./errors.ts";
import type { LastTurn } from "./router.ts";
import type { Store } from "./store.ts";

/** Events that are looked at in one step back. */
const STEP_EVENTS = 256;

/** The newest turn whose beginning is in the log. */
export async function findLastTurn(
  store: Store,
  conversation: string,
): Promise<LastTurn | undefined> {
  let oldest = 0;
  let end = await store.last(conversation);
  while (end > oldest) {
    const after = Math.max(oldest, end - STEP_EVENTS);
    let events: Awaited<ReturnType<Store["read"]>>;
    try {
      events = await readSpan(store, conversation, after, end);
    } catch (error) {
      if (!(error instanceof RouterError) || error.code !== "expired") throw error;
      // What is older has been removed.
      oldest = (error.first ?? end + 1) - 1;
      continue;
    }
    const found = events.findLast((event) => event.kind === "turn-queued");
    if (found?.kind === "turn-queued") {
      const { who, key, text, seq, turn = "" } = found;
      return { turn, who, key, text, after: seq - 1 };
    }
    end = after;
  }
  return undefined;
}

/** Events behind `after`, up to `end`: a read may give fewer than it was asked for. */
async function readSpan(store: Store, conversation: string, after: number, end: number) {
  const events = [...(await store.read(conversation, after, end - after))];
  for (let seq = events.at(-1)?.seq ?? end; seq < end; seq = events.at(-1)?.seq ?? end) {
    events.push(...(await store.read(conversation, seq, end - seq)));
  }
  return events;
}
