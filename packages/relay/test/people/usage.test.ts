import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Limits } from "../../src/people/limits.ts";
import { Usage } from "../../src/people/usage.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { RELAY_TABLES } from "../../src/relay-tables.ts";
import { temporaryDirectory } from "../support.ts";

const MIN = 60_000;

let stateDir: string;
let now: number;
let made: number;

beforeEach(() => {
  stateDir = temporaryDirectory();
  now = 1_764_500_000_000;
  made = 0;
});

/** One process of the relay. */
async function open(limits: Limits): Promise<Usage> {
  const db = await openRelayDb(stateDir, RELAY_TABLES);
  const usage = new Usage(db, limits, () => now);
  onTestFinished(async () => {
    await usage[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
  });
  return usage;
}

function start(usage: Usage, user = "u-ana", conversation = "poe/shop/c-1") {
  made += 1;
  const turn = `t-${made}`;
  return { turn, ...usage.start({ turn, user, conversation, workspace: "shop" }) };
}

function run(usage: Usage, minutes: number, user?: string, conversation?: string) {
  const started = start(usage, user, conversation);
  now += minutes * MIN;
  usage.end(started.turn);
  return started;
}

test("C31: the turns of a person are counted over all their conversations and all processes, and become free again", async () => {
  const [one, other] = [
    await open({ turnsPerUserPerHour: 2 }),
    await open({ turnsPerUserPerHour: 2 }),
  ];
  expect(run(one, 1, "u-ana", "poe/shop/c-1").kind).toBe("admitted");
  expect(run(other, 1, "u-ana", "poe/shop/c-2").kind).toBe("admitted");
  expect(run(one, 1, "u-ana", "poe/shop/c-3")).toMatchObject({
    kind: "refused",
    reason: "turnsPerUserPerHour",
    text: expect.stringContaining("in 58 min"),
  });
  expect(run(one, 1, "u-bob", "poe/shop/c-1").kind).toBe("admitted");
  now += 57 * MIN;
  expect(run(other, 1).kind).toBe("admitted");
});

test("C31: of many turns that start at once in two processes no more start than the limit allows", async () => {
  const limits = { turnsPerUserPerHour: 5, turnsPerConversationPerHour: 100 };
  const processes = [await open(limits), await open(limits)] as const;
  const kinds = Array.from({ length: 20 }, (_, n) => start(processes[n % 2 === 0 ? 0 : 1]).kind);
  expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(5);
});

test("C31: minutes count as they have run, also of a turn that still runs", async () => {
  const usage = await open({ minutesPerUserPerDay: 30 });
  run(usage, 20);
  const running = start(usage);
  now += 15 * MIN;
  // The lease of a turn whose timer never fired: it counts no further.
  const refused = start(usage);
  usage.end(running.turn);
  expect(refused.kind).toBe("admitted");
  expect(start(usage)).toMatchObject({ kind: "refused", reason: "minutesPerUserPerDay" });
});

test("C31: a warning comes at 80 %, once in a window, and the turn starts", async () => {
  const usage = await open({ turnsPerUserPerHour: 5 });
  const notices = Array.from({ length: 5 }, () => {
    const started = run(usage, 1);
    return started.kind === "admitted" ? started.notice : "refused";
  });
  expect(notices).toEqual([
    undefined,
    undefined,
    undefined,
    "4 of your limit of 5 turns an hour are used.",
    undefined,
  ]);
});

test("C31: turns that run at a time are counted over all processes, and a dead one's only for a while", async () => {
  const limits = { concurrentTurns: 2, concurrentPerUser: 1 };
  const [one, other] = [await open(limits), await open(limits)];
  const first = start(one, "u-ana");
  expect(start(other, "u-ana")).toMatchObject({ kind: "refused", reason: "concurrentPerUser" });
  expect(start(other, "u-bob").kind).toBe("admitted");
  expect(start(one, "u-eve")).toMatchObject({ kind: "refused", reason: "concurrentTurns" });
  one.end(first.turn);
  expect(start(one, "u-eve").kind).toBe("admitted");
  now += 2 * MIN;
  expect(start(one, "u-bob").kind).toBe("admitted");
});

test("C31: cost and tokens are what a session has used since its last turn, whoever had that", async () => {
  const usage = await open({ costPerUserPerDay: 1, costPerDay: 2.5 });
  const spend = (user: string, session: string, tokens: number, amount: number) => {
    const { turn } = start(usage, user);
    const cost = { amount, currency: "USD" };
    usage.spend({ turn, agent: "claude", session, model: "opus", tokens, cost });
    usage.end(turn);
    now += MIN;
  };
  spend("u-ana", "s-1", 1_000, 0.5);
  spend("u-bob", "s-1", 3_000, 1.25);
  spend("u-ana", "s-1", 3_500, 1.5);
  spend("u-ana", "s-2", 100, 0.125);
  expect(usage.of("u-ana", 60 * MIN)).toMatchObject({ turns: 3, tokens: 1_600, cost: 0.875 });
  expect(usage.of("u-bob", 60 * MIN)).toMatchObject({ turns: 1, tokens: 2_000, cost: 0.75 });
  // A session that says less than before has begun anew.
  spend("u-ana", "s-1", 50, 0.25);
  expect(start(usage, "u-ana")).toMatchObject({ kind: "refused", reason: "costPerUserPerDay" });
  expect(start(usage, "u-bob").kind).toBe("admitted");
  spend("u-bob", "s-3", 1, 0.7);
  expect(start(usage, "u-eve")).toMatchObject({ kind: "refused", reason: "costPerDay" });
  expect(usage.by("user", 60 * MIN).map(({ name, cost }) => [name, cost])).toEqual([
    ["u-bob", 1.45],
    ["u-ana", 1.125],
  ]);
  expect(usage.by("model", 60 * MIN)[0]).toMatchObject({ name: "opus", turns: 6 });
  expect(usage.by("project", 60 * MIN)).toMatchObject([{ name: "shop", turns: 7 }]);
});

test("C31: the budget of a project is for all who work in it, and for no other project", async () => {
  const usage = await open({ minutesPerProjectPerDay: 10 });
  run(usage, 6, "u-ana");
  run(usage, 6, "u-bob");
  const turn = { turn: "t-x", user: "u-eve", conversation: "poe/shop/c-9" };
  expect(usage.start({ ...turn, workspace: "shop" })).toMatchObject({
    kind: "refused",
    reason: "minutesPerProjectPerDay",
  });
  expect(usage.start({ ...turn, workspace: "infra" }).kind).toBe("admitted");
});

test("C31: without limits every turn starts, and is counted", async () => {
  const usage = await open({});
  for (let n = 0; n < 50; n++) expect(run(usage, 1).kind).toBe("admitted");
  expect(usage.of("u-ana", 60 * MIN)).toMatchObject({ turns: 50, minutes: 50 });
});

test("C31: a turn that runs for long is counted as long as its process lives, also while the database is busy", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const [usage, other] = [await open({}), await open({ concurrentTurns: 1 })];
  start(usage);
  const pass = (seconds: number) => {
    now += seconds * 1_000;
    vi.advanceTimersByTime(seconds * 1_000);
  };
  for (let n = 0; n < 10; n++) pass(30);
  expect(start(other, "u-bob").kind).toBe("refused");
  const blocking = await openRelayDb(stateDir, RELAY_TABLES);
  blocking.exec("BEGIN IMMEDIATE");
  pass(30);
  blocking.exec("ROLLBACK");
  await blocking[Symbol.asyncDispose]();
  pass(30);
  expect(start(other, "u-bob").kind).toBe("refused");
  expect(usage.of("u-ana", 60 * MIN).minutes).toBeCloseTo(6, 5);
});

test("what a turn used is kept for 90 days", async () => {
  const usage = await open({});
  run(usage, 1, "u-ana");
  now += 91 * 24 * 60 * MIN;
  run(usage, 1, "u-bob");
  expect(usage.by("user", now).map(({ name }) => name)).toEqual(["u-bob"]);
});
