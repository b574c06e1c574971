import { ClientError, type DcodeClient } from "@acp-kit/dcode-client";
import { asError, type DcodeEvent, ErrorCode, SessionState } from "@acp-kit/dcode-protocol";
import { createMappingState, type MappingState } from "./mapping/state.ts";

/** How long a daemon that does not answer is waited for: the time of a restart. */
const AWAY_MS = 60_000;
const RETRY = { firstMs: 100, maxMs: 2_000, forMs: AWAY_MS };

export type Follower = {
  /** Takes the next event; what it returns is waited for, so that a slow client slows the reading down. */
  take(event: DcodeEvent): Promise<unknown>;
  /** Events are missing. What it returns is called when it shows that no turn runs any more. */
  missed(): () => void;
  /** Goes on from another state, behind what is missing. */
  resume(state: MappingState): void;
  onError(error: unknown, what: string): void;
};

/**
 * Reads a session's live events until the signal, across disconnects and events that were dropped.
 *
 * @throws what ended the reading for good
 */
export async function followSession(
  client: DcodeClient,
  { id, session: { position } }: MappingState,
  signal: AbortSignal,
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
  while (!signal.aborted) {
    try {
      const events = client.events(id, {
        from,
        signal,
        retry: RETRY,
        onBadEvent: (error) => follower.onError(error, "event"),
      });
      for await (const event of events) {
        if (signal.aborted) return;
        from = event.seq + 1;
        await follower.take(event);
        settleAt(event.seq);
      }
    } catch (error) {
      if (signal.aborted) return;
      const expired = asError(error)?.code === ErrorCode.eventsExpired;
      const skipped = error instanceof ClientError && error.code === "gap";
      if (!expired && !skipped) throw error;
      const settle = follower.missed();
      const view = await client.getSession(id, { signal });
      // A daemon that skips events is not asked for what is left of them.
      from = expired ? view.first_seq : view.last_seq + 1;
      follower.resume(createMappingState({ ...view, first_seq: from, last_seq: from - 1 }));
      if (view.state === SessionState.idle) end = { seq: view.last_seq, settle };
      settleAt(from - 1);
    }
  }
}
