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
  for (let end = await store.last(conversation); end > 0; end -= STEP_EVENTS) {
    const after = Math.max(0, end - STEP_EVENTS);
    let events: Awaited<ReturnType<Store["read"]>>;
    try {
      events = await readSpan(store, conversation, after, end);
    } catch (error) {
      // What is older has been removed.
      if (error instanceof RouterError && error.code === "expired") return undefined;
      throw error;
    }
    const found = events.findLast((event) => event.kind === "turn-queued");
    if (found?.kind === "turn-queued") {
      const { who, key, text, seq, turn = "" } = found;
      return { turn, who, key, text, after: seq - 1 };
    }
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
