import { expect, test } from "vitest";
import { MemoryStore, type NewEvent, RouterError, type TurnOutcome } from "../src/index.ts";
import { readOwnTurns } from "../src/own-turns.ts";

const queued = (turn: string, text: string): NewEvent => ({
  kind: "turn-queued",
  who: "ana",
  text,
  key: `key of ${turn}`,
  attempt: 1,
  turn,
  at: 1,
});
const said = (text: string, turn?: string): NewEvent => ({
  kind: "text",
  text,
  at: 1,
  ...(turn && { turn }),
});

async function logged(events: readonly NewEvent[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const lease = await store.claim("c");
  if (lease) await store.append(lease, events);
  return store;
}

test("each turn since the newest reset has what was asked and all that the agent said in it", async () => {
  const store = await logged([
    queued("t0", "old"),
    { kind: "session-reset", who: "ana", at: 1 },
    queued("t1", "one"),
    said("a", "t1"),
    queued("t2", "two"),
    said("b", "t1"),
    said("between turns"),
    said("late word of an old turn", "t0"),
  ]);
  expect(await readOwnTurns(store, "c")).toEqual([
    { turn: "t1", key: "key of t1", who: "ana", asked: "one", answer: "ab" },
    { turn: "t2", key: "key of t2", who: "ana", asked: "two", answer: "" },
  ]);
});

test("a message that was changed or taken back before its turn came to its end is withdrawn", async () => {
  const end = (turn: string, outcome: TurnOutcome): NewEvent => ({
    kind: "turn-end",
    outcome,
    turn,
    at: 1,
  });
  const store = await logged([
    ...["t1", "t2", "t3", "t4"].map((turn) => queued(turn, turn)),
    end("t1", { kind: "cancelled", cause: "edited" }),
    end("t2", { kind: "cancelled", cause: "deleted" }),
    end("t3", { kind: "cancelled", cause: "user" }),
    end("t4", { kind: "completed", stopReason: "end_turn" }),
  ]);
  const turns = await readOwnTurns(store, "c");
  expect(turns.flatMap(({ turn, isWithdrawn }) => (isWithdrawn ? [turn] : []))).toEqual([
    "t1",
    "t2",
  ]);
});

test("a log of many pages is read to its end; what retention has removed is not missed", async () => {
  const chunks = Array.from({ length: 2_500 }, () => said("x", "t1"));
  const store = await logged([queued("t0", "gone"), queued("t1", "one"), ...chunks]);
  const read = store.read.bind(store);
  store.read = async (conversation, after, limit) => {
    if (after < 1) throw new RouterError("removed", { code: "expired", first: 2 });
    return read(conversation, after, limit);
  };
  const [turn, ...others] = await readOwnTurns(store, "c");
  expect(turn?.answer).toBe("x".repeat(2_500));
  expect(others).toEqual([]);
});

test("an empty log tells nothing", async () => {
  expect(await readOwnTurns(new MemoryStore(), "c")).toEqual([]);
});
