import { tmpdir } from "node:os";
import { DcodeClient } from "@acp-kit/dcode-client";
import type { DcodeEvent, KnownEvent, Session } from "@acp-kit/dcode-protocol";
import { FakeDcode, type FakeDcodeOptions } from "../../src/index.ts";

/** A daemon, a client of it, and a session. */
export type Rig = AsyncDisposable & {
  readonly daemon: FakeDcode;
  readonly client: DcodeClient;
  readonly session: Session;
  readonly id: string;
};

export const retry = { firstMs: 1, maxMs: 20 };

export async function rig(options: FakeDcodeOptions = {}): Promise<Rig> {
  const daemon = await FakeDcode.start(options);
  const client = new DcodeClient({ socketPath: daemon.socketPath });
  const session = await client.createSession({ workspace: tmpdir() });
  return {
    daemon,
    client,
    session,
    id: session.id,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

/** The events from a position up to the first of a type, that one included. */
export async function until(
  { client, id }: Pick<Rig, "client" | "id">,
  type: KnownEvent["type"],
  from = 1,
): Promise<KnownEvent[]> {
  const events: KnownEvent[] = [];
  const signal = AbortSignal.timeout(10_000);
  for await (const event of client.events(id, { from, retry, signal })) {
    events.push(event as KnownEvent);
    if (event.type === type) return events;
  }
  throw new Error(`${type} did not come; ${events.map((event) => event.type).join(" ")} did`);
}

/** The events up to a seq. */
export async function upTo(
  { client, id }: Pick<Rig, "client" | "id">,
  seq: number,
): Promise<KnownEvent[]> {
  const events: KnownEvent[] = [];
  for await (const event of client.events(id, { retry, signal: AbortSignal.timeout(10_000) })) {
    events.push(event as KnownEvent);
    if (event.seq === seq) return events;
  }
  throw new Error(`event ${seq} did not come`);
}

/** Submits and gives the turn's events. */
export async function turn(
  target: Pick<Rig, "client" | "id">,
  text: string,
): Promise<KnownEvent[]> {
  const { last_seq: last } = await target.client.getSession(target.id);
  await target.client.submitTurn(target.id, { text }, { settleMs: 5_000 });
  return await until(target, "turn.completed", last + 1);
}

export const types = (events: readonly DcodeEvent[]) => events.map(({ type }) => type);

export function payloads<Type extends KnownEvent["type"]>(
  events: readonly KnownEvent[],
  type: Type,
) {
  return events.flatMap((event) =>
    event.type === type ? [event.payload as Extract<KnownEvent, { type: Type }>["payload"]] : [],
  );
}

/** What a promise was rejected with. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}
