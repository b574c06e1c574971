import type { SessionUpdate } from "@acp-kit/acp-wire";
import type { ClientError, DcodeClient } from "@acp-kit/dcode-client";
import { ErrorCode, type Session } from "@acp-kit/dcode-protocol";
import { failureCode } from "./mapping/errors.ts";
import { joinHistory } from "./mapping/history.ts";
import type { Mapped } from "./mapping/mapped.ts";
import { reduceEvent } from "./mapping/reduce-event.ts";
import { closeCards, createMappingState, type MappingState } from "./mapping/state.ts";
import { BEGINNING_DROPPED, BROUGHT_BACK, HISTORY_UNREADABLE } from "./remarks.ts";

/** A session of the daemon, read up to where its live events begin. */
export type Attached = {
  readonly client: DcodeClient;
  readonly state: MappingState;
  /** What was said so far. */
  readonly history: readonly SessionUpdate[];
  /** What the client should be told was lost. */
  readonly lost?: string;
};

/** How long reading a session's events may take. It holds at most some ten thousand. */
const READ_MS = 60_000;
/** Events may be dropped while we ask for the first one. */
const READ_TRIES = 3;

export async function attachNew(client: DcodeClient, workspace: string): Promise<Attached> {
  return {
    client,
    state: createMappingState(await client.createSession({ workspace })),
    history: [],
  };
}

/** @throws ProtocolError `session_not_found` when the daemon does not run it */
export async function attachLive(client: DcodeClient, session: string): Promise<Attached> {
  const view = await client.getSession(session);
  const read = await readHistory(client, view);
  const { lost } = read;
  return { client, state: read.state, history: joinHistory(read.mapped), ...(lost && { lost }) };
}

/** Continues a recorded session, under a new id. @throws ProtocolError `session_not_found` without a record */
export async function attachRecorded(
  client: DcodeClient,
  session: string,
  workspace: string,
): Promise<Attached> {
  const view = await client.createSession({ workspace, resume: session });
  const read = await readHistory(client, view);
  // A turn that died with its daemon is over, whatever its last event says.
  const closed = closeCards(read.state, read.state.cards.keys(), "It ended with the daemon.");
  const { turn: _turn, ...rest } = closed.state.session;
  return {
    client,
    state: { ...closed.state, message: undefined, session: { ...rest, calls: [], approvals: [] } },
    history: joinHistory([...read.mapped, ...closed.mapped]),
    lost: [BROUGHT_BACK, read.lost].join(" ").trimEnd(),
  };
}

/** The same without its history, for a client that has it. */
export async function bringBack(
  client: DcodeClient,
  session: string,
  workspace: string,
): Promise<Attached & { readonly lost: string }> {
  const view = await client.createSession({ workspace, resume: session });
  const state = createMappingState(view);
  const behind = { ...state.session, position: view.last_seq };
  return { client, state: { ...state, session: behind }, history: [], lost: BROUGHT_BACK };
}

type Read = { readonly state: MappingState; readonly mapped: Mapped[]; readonly lost: string };

async function readHistory(client: DcodeClient, session: Session): Promise<Read> {
  let view = session;
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce(client, view);
    } catch (error) {
      if (failureCode(error) !== ErrorCode.eventsExpired || tries === READ_TRIES) throw error;
      view = await client.getSession(session.id);
    }
  }
}

async function readOnce(client: DcodeClient, session: Session): Promise<Read> {
  const { id, first_seq: first, last_seq: last } = session;
  let state = createMappingState(session);
  const mapped: Mapped[] = [];
  const lost: string[] = [];
  if (first > 1) lost.push(BEGINNING_DROPPED);
  if (last < first) return { state, mapped, lost: lost.join(" ") };
  const over = new AbortController();
  /** Events that cannot be read, and are left out. */
  let unreadable = 0;
  const events = client.events(id, {
    from: first,
    signal: AbortSignal.any([over.signal, AbortSignal.timeout(READ_MS)]),
    onBadEvent: ({ seq = 0 }: ClientError) => {
      unreadable += 1;
      // As the last one it would never come.
      if (seq >= last) over.abort();
    },
  });
  for await (const event of events) {
    const step = reduceEvent(state, event);
    state = step.state;
    mapped.push(...step.mapped);
    if (event.seq >= last) break;
  }
  if (state.session.position < last && !over.signal.aborted) {
    throw new Error(`The events of ${id} could not be read in time`);
  }
  if (unreadable > 0) lost.push(HISTORY_UNREADABLE);
  state = { ...state, session: { ...state.session, position: last } };
  return { state, mapped, lost: lost.join(" ") };
}
