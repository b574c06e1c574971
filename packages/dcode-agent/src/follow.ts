import { setTimeout as delay } from "node:timers/promises";
import type { DcodeClient } from "@acp-kit/dcode-client";
import { type DcodeEvent, type Session, SessionState } from "@acp-kit/dcode-protocol";
import { failureCode } from "./mapping/errors.ts";
import { createMappingState, type MappingState } from "./mapping/state.ts";

const RETRY = { firstMs: 100, maxMs: 2_000 };
/** How often an event that cannot be read is read before it is left out. */
const READ_TRIES = 5;
const LOOKS = 3;
const LOOK_EVERY_MS = 100;

/** Why events are missing: dropped before they were read, left out, or not to be read. */
export type MissCode = "events_expired" | "gap" | "bad_event";

export type Follower = {
  /** Takes the next event; what it returns is waited for, so that a slow client slows the reading down. */
  take(event: DcodeEvent): Promise<unknown>;
  /** Events are missing. What it returns is called when it shows that no turn runs any more. */
  missed(why: MissCode): () => void;
  /** Goes on from another state, behind what is missing. */
  resume(state: MappingState): void;
  onError(error: unknown, what: string): void;
};

/**
 * Reads a session's live events until the signal, across disconnects and events that were dropped.
 *
 * @param awayMs - How long a daemon that does not answer is waited for.
 * @throws what ended the reading for good
 */
export async function followSession(
  client: DcodeClient,
  { id, session: { position } }: MappingState,
  signal: AbortSignal,
  awayMs: number,
  follower: Follower,
): Promise<void> {
  let from = position + 1;
  /** Where the turn that events were missed of has ended, if not before. */
  let end: { readonly seq: number; readonly settle: () => void } | undefined;
  const settleAt = (seq: number) => {
    if (end === undefined || seq < end.seq) return;
    end.settle();
    end = undefined;
  };
  /** One that could not be read: broken on its way perhaps, so it is asked for again. */
  const unreadable = { seq: 0, tries: 0 };
  while (!signal.aborted) {
    try {
      const events = client.events(id, {
        from,
        signal,
        retry: { ...RETRY, forMs: awayMs },
      });
      for await (const event of events) {
        if (signal.aborted) return;
        from = event.seq + 1;
        await follower.take(event);
        settleAt(event.seq);
      }
    } catch (error) {
      if (signal.aborted) return;
      const why = failureCode(error);
      if (why === "bad_event") {
        if (unreadable.seq !== from) Object.assign(unreadable, { seq: from, tries: 0 });
        unreadable.tries += 1;
        if (unreadable.tries < READ_TRIES) continue;
      }
      if (why !== "events_expired" && why !== "gap" && why !== "bad_event") throw error;
      follower.onError(error, "events");
      const settle = follower.missed(why);
      const view = await lookAt(client, id, signal);
      if (why === "bad_event") from += 1;
      else if (why === "gap") from = view.last_seq + 1;
      else from = view.first_seq;
      follower.resume(createMappingState({ ...view, first_seq: from, last_seq: from - 1 }));
      if (view.state === SessionState.idle) end = { seq: view.last_seq, settle };
      settleAt(from - 1);
    }
  }
}

/** A session is found running for a moment behind its turn. */
async function lookAt(client: DcodeClient, id: string, signal: AbortSignal): Promise<Session> {
  let view = await client.getSession(id, { signal });
  for (let looks = 0; looks < LOOKS && view.state !== SessionState.idle; looks += 1) {
    await delay(LOOK_EVERY_MS, undefined, { signal });
    view = await client.getSession(id, { signal });
  }
  return view;
}
