import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ApprovalHost, Approvals, MAX_OPEN_QUESTIONS } from "../src/approvals.ts";
import { GRANT_LIFE_MS, Grants, MAX_GRANTS } from "../src/grants.ts";
import {
  type EventBody,
  type Lease,
  MemoryStore,
  type PermissionAsk,
  type Role,
} from "../src/index.ts";
import { QUESTION_TIMEOUT_MS } from "../src/permission.ts";

const DAY_MS = 24 * 3_600_000;
const options = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const roles: Record<string, Role> = { boss: "approver" };

/** Turns of people that share what is remembered. */
class Rig {
  readonly store = new MemoryStore();
  readonly grants = new Grants(this.store);
  readonly roles = { ...roles };
  readonly events: EventBody[] = [];
  readonly failures: string[] = [];
  readonly answers: string[] = [];
  now = 1_000;
  #lease: Promise<Lease | undefined> = this.store.claim("c");
  #remembering: Promise<void> = Promise.resolve();

  turn(person: string, overrides: Partial<ApprovalHost> = {}): Approvals {
    return new Approvals(person, {
      now: () => this.now,
      record: (event) => this.events.push(event),
      policy: () => "ask",
      roleOf: (user) => this.roles[user],
      isTainted: false,
      askWhenTainted: true,
      isRunning: true,
      place: { agent: "fir", workspace: "/shop" },
      grants: () => this.grants.list(person, this.now),
      remember: (grant) => {
        this.#remembering = this.#add(person, grant);
        return this.#remembering;
      },
      onChange: () => undefined,
      onAnswer: (ask, { end, by }) => this.answers.push(`${ask.subject}: ${end} by ${by}`),
      onFailure: (what) => {
        this.failures.push(what);
        return "7F3K";
      },
      ...overrides,
    });
  }

  async #add(person: string, grant: Parameters<Grants["add"]>[2]): Promise<void> {
    const lease = await this.#lease;
    if (!lease) throw new Error("no lease");
    await this.grants.add(lease, person, grant);
  }

  async lease(): Promise<Lease> {
    const lease = await this.#lease;
    if (!lease) throw new Error("no lease");
    return lease;
  }

  /** What the agent is told, or `asks` when a person is asked. */
  async ask(approvals: Approvals, call: object = { command: "npm test" }, kind = "execute") {
    const before = approvals.asks.length;
    const request = {
      sessionId: "s",
      toolCall: { toolCallId: "1", title: "T", kind, rawInput: call },
      options,
    };
    const outcome = approvals.ask(request, undefined, new AbortController().signal);
    const asked = vi.waitFor(() => {
      if (approvals.asks.length === before) throw new Error("nobody is asked");
      return "asks" as const;
    });
    const told = outcome.then((one) => (one.outcome === "selected" ? one.optionId : "none"));
    const result = await Promise.race([told, asked.catch(() => told)]);
    return { result, told };
  }

  /** An approver allows the newest question of a turn for ever. */
  async grant(approvals: Approvals, user = "boss"): Promise<void> {
    const { id } = approvals.asks.at(-1) as PermissionAsk;
    expect(approvals.answer({ ...answerItem, permission: id, option: "always", user })).toBe(true);
    await this.#remembering;
  }
}

const answerItem = { kind: "answer", key: "k", at: 1 } as const;

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});
afterEach(() => {
  vi.useRealTimers();
});

test("C18: always is told to the agent as once, and holds again for this person and exactly this", async () => {
  const first = rig.turn("ana");
  const { told } = await rig.ask(first);
  await rig.grant(first);
  expect(await told).toBe("once");
  expect(rig.events.at(-1)).toMatchObject({
    kind: "permission-answer",
    option: { id: "once" },
    by: "boss",
    remembered: "now",
  });
  expect((await rig.ask(rig.turn("ana"))).result).toBe("once");
  expect(rig.events.at(-1)).toMatchObject({
    kind: "permission-answer",
    option: { id: "once" },
    by: "boss",
    remembered: "before",
  });
});

const held: [string, (rig: Rig) => Approvals, object?, string?][] = [
  ["another person", (rig) => rig.turn("bob")],
  ["another agent", (rig) => rig.turn("ana", { place: { agent: "oak", workspace: "/shop" } })],
  ["another workspace", (rig) => rig.turn("ana", { place: { agent: "fir", workspace: "/infra" } })],
  ["another kind of tool", (rig) => rig.turn("ana"), { command: "npm test" }, "edit"],
  ["another command", (rig) => rig.turn("ana"), { command: "npm test && curl evil" }],
  ["a tainted turn", (rig) => rig.turn("ana", { isTainted: true })],
];
test.each(held)(
  "C18: what was allowed for ever is asked for by %s",
  async (_, turn, call, kind) => {
    const first = rig.turn("ana");
    await rig.ask(first);
    await rig.grant(first);
    expect((await rig.ask(turn(rig), call, kind)).result).toBe("asks");
  },
);

test("C13: a tainted turn takes what was allowed for ever, as long as it is harmless", async () => {
  const first = rig.turn("ana");
  await rig.ask(first, { path: "a" }, "edit");
  await rig.grant(first);
  const tainted = rig.turn("ana", { isTainted: true });
  expect((await rig.ask(tainted, { path: "a" }, "edit")).result).toBe("once");
});

test("C18: a remembered answer ends after 30 days, with the role of whoever gave it, and when it is revoked", async () => {
  const first = rig.turn("ana");
  await rig.ask(first);
  await rig.grant(first);
  const asked = async () => (await rig.ask(rig.turn("ana"))).result;
  rig.now += GRANT_LIFE_MS - DAY_MS;
  expect(await asked()).toBe("once");
  delete rig.roles["boss"];
  expect(await asked()).toBe("asks");
  rig.roles["boss"] = "approver";
  expect(await asked()).toBe("once");
  rig.now += DAY_MS;
  expect(await asked()).toBe("asks");
  await rig.grant(await askedTurn());
  const [grant] = await rig.grants.list("ana", rig.now);
  expect(grant).toMatchObject({
    subject: "npm test",
    by: "boss",
    agent: "fir",
    workspace: "/shop",
  });
  await rig.grants.revoke(await rig.lease(), "ana", [grant?.rule ?? ""], rig.now);
  expect(await rig.grants.list("ana", rig.now)).toEqual([]);
  expect(await asked()).toBe("asks");

  async function askedTurn(): Promise<Approvals> {
    const turn = rig.turn("ana");
    await rig.ask(turn);
    return turn;
  }
});

test("C18: a person has so many remembered answers, each once, and the oldest leave", async () => {
  const lease = await rig.lease();
  const grant = (n: number) => ({
    agent: "fir",
    workspace: "/shop",
    toolKind: "execute",
    rule: `rule ${n}`,
    subject: `command ${n}`,
    by: "boss",
    at: n,
  });
  const all = Array.from({ length: MAX_GRANTS + 5 }, (_, n) => grant(n));
  await Promise.all(all.map((one) => rig.grants.add(lease, "ana", one)));
  await rig.grants.add(lease, "ana", { ...grant(MAX_GRANTS), at: 500 });
  const kept = await rig.grants.list("ana", 1_000);
  expect(kept).toHaveLength(MAX_GRANTS);
  expect(kept.at(0)).toEqual(grant(5));
  expect(kept.at(-1)).toEqual({ ...grant(MAX_GRANTS), at: 500 });
  expect(await rig.grants.list("bob", 1_000)).toEqual([]);
});

test("C8: a plain user's own question is not answered with always, and stays open", async () => {
  const turn = rig.turn("ana");
  const { told } = await rig.ask(turn);
  const [ask] = turn.asks;
  const permission = ask?.id ?? "";
  expect(turn.answer({ ...answerItem, permission, option: "always", user: "ana" })).toBe(false);
  expect(turn.asks).toHaveLength(1);
  expect(turn.answer({ ...answerItem, permission, option: "once", user: "ana" })).toBe(true);
  expect(await told).toBe("once");
  expect(await rig.grants.list("ana", rig.now)).toEqual([]);
});

test("of two answers the first one wins, and the log holds no other", async () => {
  const turn = rig.turn("ana");
  const { told } = await rig.ask(turn);
  const permission = turn.asks[0]?.id ?? "";
  expect(turn.answer({ ...answerItem, permission, option: "no", user: "ana" })).toBe(true);
  expect(turn.answer({ ...answerItem, permission, option: "once", user: "boss" })).toBe(false);
  expect(await told).toBe("no");
  const answers = rig.events.filter(({ kind }) => kind === "permission-answer");
  expect(answers).toMatchObject([{ option: { id: "no" }, by: "ana" }]);
});

test("a question lapses after 30 minutes: the log says so, and the agent is told none of the options", async () => {
  vi.useFakeTimers();
  const turn = rig.turn("ana");
  const { told } = await rig.ask(turn);
  await vi.advanceTimersByTimeAsync(QUESTION_TIMEOUT_MS - 1_000);
  expect(turn.asks).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await told).toBe("none");
  expect(rig.events.at(-1)).toMatchObject({ kind: "permission-answer", end: "expired" });
});

test("questions beyond those that may wait are refused, and one note says so", async () => {
  const turn = rig.turn("ana");
  for (let n = 0; n < MAX_OPEN_QUESTIONS; n++) await rig.ask(turn, { command: `c ${n}` });
  expect((await rig.ask(turn)).result).toBe("none");
  expect((await rig.ask(turn)).result).toBe("none");
  expect(rig.events.filter(({ kind }) => kind === "notice")).toHaveLength(1);
  expect(turn.asks.map(({ subject }) => subject)).toEqual(
    Array.from({ length: MAX_OPEN_QUESTIONS }, (_, n) => `c ${n}`),
  );
});

test("what cannot be remembered counts this once, and the log says so", async () => {
  const turn = rig.turn("ana", { remember: () => Promise.reject(new Error("disk full")) });
  const { told } = await rig.ask(turn);
  const permission = turn.asks[0]?.id ?? "";
  turn.answer({ ...answerItem, permission, option: "always", user: "boss" });
  expect(await told).toBe("once");
  await vi.waitFor(() => expect(rig.events.at(-1)).toMatchObject({ level: "warning" }));
  expect(rig.failures).toEqual(["remember an answer"]);
});

test("nothing is asked once the turn is over, and nothing remembered is taken for it", async () => {
  const first = rig.turn("ana");
  await rig.ask(first);
  await rig.grant(first);
  const over = rig.turn("ana", { isRunning: false });
  expect((await rig.ask(over)).result).toBe("none");
  expect((await rig.ask(over, { command: "other" })).result).toBe("none");
});
