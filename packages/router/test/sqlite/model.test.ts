import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  DEFAULT_OPTIONS,
  type InboxItem,
  type Lease,
  MemoryStore,
  type NewEvent,
  type Store,
} from "../../src/index.ts";
import { openSqliteStore } from "../../src/sqlite/index.ts";

const root = mkdtempSync(path.join(tmpdir(), "sqlite-model-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A store under test, and what was learned of it: turns have names of their own in each store. */
class Subject {
  readonly store: Store;
  readonly leases: Lease[] = [];
  /** Turns in the order in which they were made known. */
  readonly turns: { readonly conversation: string; readonly turn: string }[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  /** One of the newest leases, which may have been given up. */
  lease(index: number): Lease | undefined {
    return this.leases.at(-1 - (index % 3));
  }

  /** One of the newest turns of a conversation. */
  turn(conversation: string, index: number): string | undefined {
    return this.turns.filter((one) => one.conversation === conversation).at(-1 - (index % 3))?.turn;
  }

  /** A result with the names of turns and the fences, which are each store's own, replaced. */
  normal(result: unknown): unknown {
    const json = JSON.stringify(result ?? null, (key, value) => (key === "fence" ? 0 : value));
    return this.turns.reduce(
      (text, { turn }, index) => text.replaceAll(turn, `turn-${index}`),
      json,
    );
  }
}

type Command = { readonly name: string; run(subject: Subject): Promise<unknown> };

const conversation = fc.constantFrom("c", "c", "c", "d");
const key = fc.constantFrom("k1", "k1", "k1", "k2", "");
const question = fc.constantFrom("q0", "q1");
const ask = {
  requester: "ana",
  title: "t",
  toolKind: "execute",
  subject: "ls",
  subjectFrom: "input" as const,
  subjectCut: false,
  options: [],
  expiresAt: 9,
};
const small = fc.nat({ max: 5 });
const command = (name: string, run: Command["run"]): Command =>
  Object.assign({ name, run }, { [fc.toStringMethod]: () => name });

const commands: fc.Arbitrary<Command> = fc.oneof(
  conversation.map((c) =>
    command(`claim ${c}`, async ({ store, leases }) => {
      const lease = await store.claim(c);
      if (lease) leases.push(lease);
      return lease !== undefined;
    }),
  ),
  small.map((n) =>
    command(`release ${n}`, async (subject) => {
      const lease = subject.lease(n);
      if (lease) await subject.store.release(lease);
    }),
  ),
  fc.tuple(small, fc.array(anyEvent(), { maxLength: 4 })).map(([n, events]) =>
    command(`append ${n} ${JSON.stringify(events)}`, async (subject) => {
      const lease = subject.lease(n);
      if (!lease) return undefined;
      const turn = subject.turn(lease.conversation, n);
      return subject.store.append(
        lease,
        events.map((make) => make(turn)),
      );
    }),
  ),
  fc
    .tuple(conversation, key, small, fc.boolean(), fc.boolean(), fc.nat({ max: 2 }))
    .map(([c, k, after, attach, hasRequest, hours]) =>
      command(
        `prompt ${c} ${k} after ${after} ${attach} ${hasRequest} ${hours}`,
        async (subject) => {
          const posted = await subject.store.post(c, {
            kind: "prompt",
            key: k,
            user: "ana",
            query: [],
            options: DEFAULT_OPTIONS,
            repeat: attach ? "attach" : "rerun-once-delivered",
            ...(hasRequest && { request: "r" }),
            after,
            at: hours * 3_600_000,
          });
          if (posted.how === "new") subject.turns.push({ conversation: c, turn: posted.turn });
          return posted;
        },
      ),
    ),
  fc
    .tuple(conversation, key, small, fc.constantFrom("answer", "cancel", "reset"))
    .map(([c, k, n, kind]) =>
      command(`${kind} ${c} ${k} ${n}`, async (subject) => {
        const item = { key: k === "" ? "" : `${kind}-${k}`, user: "ana", at: 1 };
        const turn = subject.turn(c, n) ?? "no turn";
        const items: Record<typeof kind, InboxItem> = {
          answer: { ...item, kind: "answer", permission: `q${n % 2}`, option: "y" },
          cancel: { ...item, kind: "cancel", turn, cause: "user" },
          reset: { ...item, kind: "reset" },
        };
        return subject.store.post(c, items[kind]);
      }),
    ),
  small.map((n) =>
    command(`take ${n}`, async (subject) => {
      const lease = subject.lease(n);
      return lease && subject.store.take(lease);
    }),
  ),
  fc.tuple(small, fc.constantFrom("k", "k1", "")).map(([n, message]) =>
    command(`redact ${n} ${message}`, async (subject) => {
      const lease = subject.lease(n);
      if (lease) await subject.store.redact(lease, message);
    }),
  ),
  fc
    .tuple(conversation, small, small, fc.subarray(["k1", "k2"]))
    .map(([c, from, to, delivered]) =>
      command(`confirm ${c} ${from} ${to} ${delivered}`, ({ store }) =>
        store.confirm(c, "reader", from, { seq: to, state: `${to}`, delivered }),
      ),
    ),
  fc
    .tuple(conversation, small, fc.integer({ min: 1, max: 4 }))
    .map(([c, after, limit]) =>
      command(`read ${c} ${after} ${limit}`, ({ store }) => store.read(c, after, limit)),
    ),
  fc.tuple(small, key).map(([n, value]) =>
    command(`record ${n} ${value}`, async (subject) => {
      const lease = subject.lease(n);
      if (lease) await subject.store.writeRecord(lease, "r", { value });
    }),
  ),
);

type EventMaker = (turn: string | undefined) => NewEvent;

/** Makes an event of a turn that the store has named; without one it belongs to no turn. */
function anyEvent(): fc.Arbitrary<EventMaker> {
  const at = 1;
  const makers: readonly ((question: string, turn: string) => NewEvent)[] = [
    (_, turn) => ({ kind: "text", text: "said", at, turn }),
    (_, turn) => ({ kind: "turn-queued", who: "ana", text: "hi", key: "k", attempt: 1, at, turn }),
    (_, turn) => ({ kind: "steered", who: "ana", text: "also", key: "k#2", at, turn }),
    (_, turn) => ({ kind: "turn-start", who: "ana", at, turn }),
    (id, turn) => ({ kind: "permission-ask", ask: { ...ask, id }, at, turn }),
    (permission, turn) => ({ kind: "permission-answer", permission, end: "cancelled", at, turn }),
    (_, turn) => ({ kind: "turn-end", outcome: { kind: "interrupted" }, at, turn }),
    (_, turn) => ({ kind: "turn-end", outcome: { kind: "cancelled", cause: "user" }, at, turn }),
  ];
  return fc
    .tuple(question, fc.constantFrom(...makers))
    .map(([id, make]) =>
      Object.assign(
        (turn: string | undefined): NewEvent =>
          turn === undefined ? { kind: "text", text: "between", at } : make(id, turn),
        { toJSON: () => make(id, "…").kind },
      ),
    );
}

async function outcome({ run }: Command, subject: Subject): Promise<unknown> {
  try {
    return subject.normal(await run(subject));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code, first, last } = error as Error & Record<string, unknown>;
    return { name: error.name, code, first, last };
  }
}

/** Everything that can be asked of a store. */
async function facts(subject: Subject): Promise<unknown> {
  const { store, turns } = subject;
  const found: unknown[] = [await store.readRecord("r"), [...(await store.orphans())].sort()];
  for (const c of ["c", "d"]) {
    found.push(
      await store.last(c),
      await store.read(c, 0, 1000),
      await store.checkpoint(c, "reader"),
      await store.openTurns(c),
      await Promise.all(turns.map(({ turn }) => store.turnEnd(c, turn))),
    );
  }
  return subject.normal(found);
}

test("any sequence of calls has the same results in SQLite as in memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 60, size: "max" }), async (sequence) => {
      await using memory = new MemoryStore();
      await using sqlite = await openSqliteStore({ directory: mkdtempSync(path.join(root, "m-")) });
      const subjects = [new Subject(memory), new Subject(sqlite)] as const;
      for (const { store, leases } of subjects) leases.push((await store.claim("c")) as Lease);
      for (const one of sequence) {
        const [expected, actual] = [
          await outcome(one, subjects[0]),
          await outcome(one, subjects[1]),
        ];
        expect(actual, one.name).toEqual(expected);
      }
      expect(await facts(subjects[1])).toEqual(await facts(subjects[0]));
    }),
    { numRuns: 150 },
  );
});
