import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_OPTIONS,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  MAX_RECORD_BYTES,
  MAX_WAITING,
  type NewEvent,
  type PermissionAsk,
  type PromptItem,
  REDRIVE_WINDOW_MS,
  type Store,
} from "../src/index.ts";

const text = (words: string, turn?: string): NewEvent => ({
  kind: "text",
  text: words,
  at: 1,
  ...(turn !== undefined && { turn }),
});

export function promptItem(overrides: Partial<PromptItem> = {}): PromptItem {
  return {
    kind: "prompt",
    key: "m1",
    user: "ana",
    query: [{ role: "user", content: "hi", messageId: "m1", attachments: [] }],
    options: DEFAULT_OPTIONS,
    repeat: "rerun-once-delivered",
    at: 1_000,
    ...overrides,
  };
}

const question: PermissionAsk = {
  id: "q",
  requester: "ana",
  title: "Run",
  toolKind: "execute",
  subject: "ls",
  subjectFrom: "input",
  subjectCut: false,
  options: [],
  expiresAt: 9,
};

const turnEnd = (turn: string, cancelled = false): NewEvent => ({
  kind: "turn-end",
  at: 2,
  turn,
  outcome: cancelled
    ? { kind: "cancelled", cause: "user" }
    : { kind: "completed", stopReason: "end_turn" },
});

async function claimed(store: Store, conversation = "c"): Promise<Lease> {
  const lease = await store.claim(conversation);
  if (!lease) throw new Error("the conversation has a live owner");
  return lease;
}

/** What every store promises; a driver's own test calls this with a way to make an empty one. */
export function describeStoreContract(name: string, create: () => Promise<Store>): void {
  describe(`${name} keeps the store contract`, () => {
    test("of a message that is taken back no version's text stays, and all else does", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const queued = (key: string, turn: string): NewEvent => ({
        ...{ kind: "turn-queued", who: "ana", text: `asked ${key}`, key, attempt: 1, at: 1, turn },
      });
      const steered = (key?: string): NewEvent => ({
        ...{ kind: "steered", who: "ana", text: `added ${key}`, at: 1, turn: "t1" },
        ...(key !== undefined && { key }),
      });
      await store.append(lease, [
        ...[queued("m", "t1"), text("asked m", "t1"), queued("m#2", "t2"), queued("m2", "t3")],
        ...[queued("", "t4"), steered("m"), steered("m#3"), steered("n"), steered()],
        ...Array.from({ length: 1_000 }, () => text("between")),
        queued("m#4", "t5"),
      ]);
      const before = await store.read("c", 0, 2_000);
      await store.redact(lease, "m");
      await store.redact(lease, "");
      const after = await store.read("c", 0, 2_000);
      const isEmptied = (at: number) => [0, 2, 5, 6, 1_009].includes(at);
      expect(after).toEqual(
        before.map((event, at) => (isEmptied(at) ? { ...event, text: "" } : event)),
      );
      await store.release(lease);
      await expect(store.redact(lease, "m")).rejects.toMatchObject({ code: "fenced" });
    });

    test("an empty conversation has no events, and its checkpoints stand at 0", async () => {
      await using store = await create();
      expect(await store.last("c")).toBe(0);
      expect(await store.read("c", 0, 10)).toEqual([]);
      expect(await store.checkpoint("c", "reader")).toEqual({ seq: 0 });
      expect(await store.readRecord("r")).toBeUndefined();
    });

    test("seq starts at 1, never skips, and is each conversation's own", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const other = await claimed(store, "d");
      expect(await store.append(lease, [text("a"), text("b")])).toBe(2);
      expect(await store.append(other, [text("x")])).toBe(1);
      expect(await store.append(lease, [text("c")])).toBe(3);
      const events = await store.read("c", 0, 10);
      expect(events.map((event) => event.seq)).toEqual([1, 2, 3]);
      expect(events.map((event) => event.kind === "text" && event.text)).toEqual(["a", "b", "c"]);
    });

    test("a question asked again while it is open is the one that was asked; after its end it is a new one", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const { turn } = await store.post("c", promptItem());
      const asking = (id: string, title: string): NewEvent => ({
        kind: "permission-ask",
        at: 1,
        turn,
        ask: { ...question, id, title },
      });
      const asks = async () =>
        (await store.openTurns("c")).flatMap((one) => one.asks.map(({ title }) => title));
      await store.append(lease, [asking("a", "1"), asking("b", "2"), asking("a", "3")]);
      expect(await asks()).toEqual(["1", "2"]);
      const end = { kind: "permission-answer", permission: "a", end: "selected" } as const;
      await store.append(lease, [{ ...end, at: 1, turn }, asking("a", "4")]);
      expect(await asks()).toEqual(["2", "4"]);
    });

    test("turns that have started come first, in the order of their starts, then those that wait", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const turns: string[] = [];
      for (let nth = 0; nth < 8; nth += 1) {
        turns.push((await store.post("c", promptItem({ key: `k${nth}` }))).turn);
      }
      const started = turns.slice(2).reverse();
      const starts = started.map(
        (turn): NewEvent => ({ kind: "turn-start", who: "ana", at: 1, turn }),
      );
      await store.append(lease, starts);
      const open = await store.openTurns("c");
      expect(open.map(({ turn }) => turn)).toEqual([...started, ...turns.slice(0, 2)]);
    });

    test("read gives at most limit events behind after", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [text("a"), text("b"), text("c")]);
      expect((await store.read("c", 1, 1)).map((event) => event.seq)).toEqual([2]);
      expect(await store.read("c", 3, 5)).toEqual([]);
    });

    test("reading beyond the newest event is refused with its seq", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [text("a")]);
      await expect(store.read("c", 2, 5)).rejects.toMatchObject({ code: "ahead", last: 1 });
    });

    test("a lease is had once at a time, and again after its release with a higher fence", async () => {
      await using store = await create();
      const lease = await claimed(store);
      expect(await store.claim("c")).toBeUndefined();
      await store.release(lease);
      const next = await claimed(store);
      expect(next.fence).toBeGreaterThan(lease.fence);
    });

    test("an append, a take and a record with an old lease are fenced and change nothing", async () => {
      await using store = await create();
      const old = await claimed(store);
      await store.release(old);
      await claimed(store);
      await store.post("c", promptItem());
      await expect(store.append(old, [text("a")])).rejects.toMatchObject({ code: "fenced" });
      await expect(store.take(old)).rejects.toMatchObject({ code: "fenced" });
      await expect(store.writeRecord(old, "r", 1)).rejects.toMatchObject({ code: "fenced" });
      expect(await store.last("c")).toBe(0);
    });

    test("a change is announced after it is committed, in the tick of the append", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const seen: unknown[] = [];
      using _ = store.onChange((conversation, part) => seen.push([conversation, part]));
      const appended = store.append(lease, [text("a")]);
      await appended;
      expect(seen).toContainEqual(["c", "log"]);
      await store.post("c", promptItem());
      expect(seen).toContainEqual(["c", "inbox"]);
    });

    test("items are taken once, in order of arrival", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.post("c", promptItem({ key: "m1" }));
      await store.post("c", promptItem({ key: "m2" }));
      const taken = await store.take(lease);
      expect(taken.map(({ item }) => item.key)).toEqual(["m1", "m2"]);
      expect(await store.take(lease)).toEqual([]);
    });

    test("a repeat with attach is the same turn for ever, also after its end was delivered", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const item = promptItem({ repeat: "attach" });
      const first = await store.post("c", item);
      expect(first.how).toBe("new");
      await store.append(lease, [turnEnd(first.turn)]);
      await store.confirm("c", "reader", 0, { seq: 1, delivered: ["m1"] });
      expect(await store.post("c", item)).toEqual({ ...first, how: "repeat" });
    });

    test("a repeat attaches to its undelivered part, where its first reader began", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [text("a"), text("b")]);
      const first = await store.post("c", promptItem({ after: 1 }));
      await store.append(lease, [turnEnd(first.turn)]);
      const again = await store.post("c", promptItem({ after: 3 }));
      expect(again).toEqual({ turn: first.turn, after: 1, how: "repeat" });
    });

    test("a repeat of a delivered part is a new attempt, numbered", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const first = await store.post("c", promptItem());
      const taken = [...(await store.take(lease))];
      await store.append(lease, [turnEnd(first.turn)]);
      expect(await store.confirm("c", "reader", 0, { seq: 1, delivered: ["m1"] })).toBe(true);
      const second = await store.post("c", promptItem());
      expect(second.how).toBe("new");
      expect(second.turn).not.toBe(first.turn);
      taken.push(...(await store.take(lease)));
      expect(taken.map((one) => "attempt" in one && one.attempt)).toEqual([1, 2]);
    });

    test("a repeat of a cancelled turn is a new attempt", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const first = await store.post("c", promptItem());
      await store.append(lease, [turnEnd(first.turn, true)]);
      expect((await store.post("c", promptItem())).how).toBe("new");
    });

    test("two redrives of one regeneration are one attempt", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const first = await store.post("c", promptItem({ request: "r1" }));
      await store.append(lease, [turnEnd(first.turn)]);
      await store.confirm("c", "reader", 0, { seq: 1, delivered: ["m1"] });
      const second = await store.post("c", promptItem({ request: "r2" }));
      const third = await store.post("c", promptItem({ request: "r2" }));
      expect(second.how).toBe("new");
      expect(third).toEqual({ ...second, how: "repeat" });
    });

    test("the same request id is a redrive for ten minutes, whatever was delivered", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const first = await store.post("c", promptItem({ request: "r1", at: 1_000 }));
      await store.append(lease, [turnEnd(first.turn)]);
      await store.confirm("c", "reader", 0, { seq: 1, delivered: ["m1"] });
      const inside = promptItem({ request: "r1", at: 1_000 + REDRIVE_WINDOW_MS - 1 });
      expect((await store.post("c", inside)).how).toBe("repeat");
      const outside = promptItem({ request: "r1", at: 1_000 + REDRIVE_WINDOW_MS });
      expect((await store.post("c", outside)).how).toBe("new");
    });

    test("a message without a key is never a repeat", async () => {
      await using store = await create();
      const first = await store.post("c", promptItem({ key: "" }));
      const second = await store.post("c", promptItem({ key: "" }));
      expect([first.how, second.how]).toEqual(["new", "new"]);
      expect(second.turn).not.toBe(first.turn);
    });

    test("an answer reaches the owner once, and is late once its question has ended", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [{ kind: "permission-ask", ask: question, at: 1, turn: "t1" }]);
      const item: InboxItem = { kind: "answer", key: "m2", user: "ana", permission: "q", at: 1 };
      expect(await store.post("c", item)).toMatchObject({ turn: "t1", how: "new" });
      expect(await store.post("c", item)).toMatchObject({ turn: "t1", how: "repeat" });
      expect(await store.take(lease)).toHaveLength(1);
      const answered: NewEvent = {
        kind: "permission-answer",
        permission: "q",
        end: "selected",
        at: 2,
        turn: "t1",
      };
      await store.append(lease, [answered]);
      expect(await store.post("c", { ...item, key: "m3" })).toMatchObject({ how: "late" });
      expect(await store.take(lease)).toEqual([]);
    });

    test("an answer's reader begins where it asked to, the start of the log included", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [{ kind: "permission-ask", ask: question, at: 1, turn: "t1" }]);
      const item: InboxItem = {
        kind: "answer",
        key: "m2",
        user: "ana",
        permission: "q",
        after: 0,
        at: 1,
      };
      expect(await store.post("c", item)).toMatchObject({ after: 0 });
    });

    test("a cancel of a turn that has ended is late", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const { turn } = await store.post("c", promptItem());
      const cancel = { kind: "cancel", user: "", turn, cause: "user", at: 1 } as const;
      expect((await store.post("c", { ...cancel, key: "x1" })).how).toBe("new");
      await store.append(lease, [turnEnd(turn)]);
      expect((await store.post("c", { ...cancel, key: "x2" })).how).toBe("late");
      expect(await store.turnEnd("c", turn)).toBe(1);
    });

    test("a checkpoint moves only from where its reader knows it to be", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [text("a"), text("b"), text("c")]);
      expect(await store.confirm("c", "reader", 0, { seq: 2, state: '{"x":1}' })).toBe(true);
      expect(await store.confirm("c", "reader", 0, { seq: 3 })).toBe(false);
      expect(await store.checkpoint("c", "reader")).toEqual({ seq: 2, state: '{"x":1}' });
      expect(await store.checkpoint("c", "other")).toEqual({ seq: 0 });
    });

    test("a checkpoint never lies beyond the log, behind itself, or over its size", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.append(lease, [text("a")]);
      await expect(store.confirm("c", "r", 0, { seq: 2 })).rejects.toMatchObject({ code: "ahead" });
      const state = "ä".repeat(MAX_CHECKPOINT_STATE_BYTES / 2 + 1);
      await expect(store.confirm("c", "r", 0, { seq: 1, state })).rejects.toThrow(RangeError);
      expect(await store.checkpoint("c", "r")).toEqual({ seq: 0 });
    });

    test("a record is kept by value", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const value = { session: "s" };
      await store.writeRecord(lease, "r", value);
      value.session = "changed";
      expect(await store.readRecord("r")).toEqual({ session: "s" });
    });

    test("a record is replaced, refused when it is too large, and removed by undefined", async () => {
      await using store = await create();
      const lease = await claimed(store);
      await store.writeRecord(lease, "r", 1);
      await store.writeRecord(lease, "r", "ä".repeat(MAX_RECORD_BYTES / 2 - 1));
      const tooLarge = "ä".repeat(MAX_RECORD_BYTES / 2);
      await expect(store.writeRecord(lease, "r", tooLarge)).rejects.toThrow(RangeError);
      expect(await store.readRecord("r")).toHaveLength(MAX_RECORD_BYTES / 2 - 1);
      await store.writeRecord(lease, "r", undefined);
      expect(await store.readRecord("r")).toBeUndefined();
    });

    test("an item of a kind that no store has heard of is kept, idempotent, and taken as it is", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const item = { kind: "wish", key: "w1", user: "ana", of: [{ any: "shape" }], at: 1 };
      const posted = await store.post("c", item as unknown as InboxItem);
      expect(posted).toEqual({ turn: "", after: 0, how: "new" });
      expect((await store.post("c", item as unknown as InboxItem)).how).toBe("repeat");
      expect(await store.take(lease)).toEqual([{ item }]);
      expect(await store.take(lease)).toEqual([]);
    });

    test("items that wait have a bound, whatever their kind, until they are taken", async () => {
      await using store = await create();
      const lease = await claimed(store);
      const reset: InboxItem = { kind: "reset", key: "", user: "ana", at: 1 };
      await Promise.all(Array.from({ length: MAX_WAITING }, () => store.post("c", reset)));
      await expect(store.post("c", reset)).rejects.toMatchObject({ code: "queue-full" });
      await expect(store.post("c", promptItem())).rejects.toMatchObject({ code: "queue-full" });
      expect(await store.take(lease)).toHaveLength(MAX_WAITING);
      expect((await store.post("c", reset)).how).toBe("new");
    });

    test("what any reader saw is a prefix of the log, however appends and reads interleave", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant("read" as const)), {
            maxLength: 30,
          }),
          async (steps) => {
            await using store = await create();
            const lease = await claimed(store);
            let appended = 0;
            const seen: number[] = [];
            for (const step of steps) {
              if (step === "read") {
                const events = await store.read("c", seen.length, 3);
                seen.push(...events.map((event) => event.seq));
              } else {
                const last = await store.append(
                  lease,
                  Array.from({ length: step }, (_, index) => text(String(index))),
                );
                appended += step;
                expect(last).toBe(appended);
              }
            }
            expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
            expect(seen.length).toBeLessThanOrEqual(appended);
          },
        ),
        { numRuns: 50 },
      );
    });
  });
}
