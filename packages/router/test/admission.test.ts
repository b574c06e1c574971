import { expect, test } from "vitest";
import type { RouterMetric, TurnAdmission, TurnStart } from "../src/index.ts";
import { message, outcomeOf, textOf } from "./agent-rig.ts";
import { notices, PlainRig } from "./plain-agent.ts";

test("C31: a turn that is not admitted ends with the reason, and nothing of it reaches the agent", async () => {
  const asked: TurnStart[] = [];
  await using rig = new PlainRig({
    admitTurn: (start) => {
      asked.push(start);
      return { kind: "refused", text: "Not before noon." };
    },
  });
  const events = await rig.run("one");
  expect(outcomeOf(events)).toEqual({
    kind: "failed",
    phase: "start",
    code: "not-admitted",
    message: "Not before noon.",
  });
  expect(rig.agent.calls).toEqual([]);
  expect(asked).toEqual([{ conversation: "c", turn: events[0]?.turn, user: "ana" }]);
  expect(rig.reports.map(({ kind }) => kind)).toEqual(["turn-ended"]);
});

test("C31: a repeat of a message is no turn, and one that waits is asked about when it starts", async () => {
  let admission: TurnAdmission = { kind: "admitted" };
  const asked: string[] = [];
  await using rig = new PlainRig({
    admitTurn: ({ turn }) => {
      asked.push(turn);
      return admission;
    },
  });
  const answering = Promise.withResolvers<string>();
  rig.agent.reply = () => answering.promise;
  const item = message("one", { key: "k1" });
  const first = await rig.router.submit("c", item);
  await expect.poll(() => rig.agent.prompts.length, { interval: 5 }).toBe(1);
  expect((await rig.router.submit("c", { ...item, request: "again" })).how).toBe("repeat");
  const second = await rig.router.submit("c", message("two", { key: "k2" }));
  expect(asked).toEqual([first.turn]);
  admission = { kind: "refused", text: "Enough." };
  answering.resolve("ok");
  const log = rig.router.log("c").follow({ after: 0, turn: second.turn });
  for await (const _ of log);
  expect(asked).toEqual([first.turn, second.turn]);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("C31: a notice of an admission stands in the turn, which runs", async () => {
  await using rig = new PlainRig({
    admitTurn: () => ({ kind: "admitted", notice: "8 of 10 are used." }),
  });
  const events = await rig.run("one");
  expect(notices(events)).toEqual(["8 of 10 are used."]);
  expect(textOf(events)).toBe("ok");
});

test("C31: a turn of which nobody can say whether it may start does not", async () => {
  await using rig = new PlainRig({
    admitTurn: () => {
      throw new Error("the disk is gone");
    },
  });
  expect(outcomeOf(await rig.run("one"))).toMatchObject({ kind: "failed", code: "internal" });
  expect(rig.agent.calls).toEqual([]);
});

test("a refused turn gives the workspace back", async () => {
  let isOpen = false;
  await using rig = new PlainRig({
    workspaceFor: () => ({ cwd: "/work", roots: [], filesDir: "/work", exclusive: "/work" }),
    admitTurn: () => (isOpen ? { kind: "admitted" } : { kind: "refused", text: "no" }),
  });
  await rig.run("one");
  isOpen = true;
  expect(textOf(await rig.run("two"))).toBe("ok");
});

const spentIn = (metrics: readonly RouterMetric[]) =>
  metrics.flatMap((metric) => (metric.kind === "spent" ? [metric] : []));

test("what an agent tells of cost and tokens is measured at the end of the turn, by session and model", async () => {
  await using rig = new PlainRig();
  rig.agent.setup = { models: { currentModelId: "opus", availableModels: [] } };
  rig.agent.reply = (_, session) => {
    const cost = (amount: number) => ({ amount, currency: "USD" });
    const update = { sessionUpdate: "usage_update", used: 10, size: 100 };
    rig.agent.update(session, { ...update, cost: cost(0.25) });
    rig.agent.update(session, { ...update, cost: cost(0.5) });
    return { stopReason: "end_turn", usage: { totalTokens: 1_234 } } as { stopReason: string };
  };
  const [first] = await rig.run("one");
  rig.agent.reply = () => "ok";
  const [second] = await rig.run("two");
  const same = { kind: "spent", conversation: "c", agent: "", session: "s1", model: "opus" };
  expect(spentIn(rig.metrics)).toEqual([
    { ...same, turn: first?.turn, cost: { amount: 0.5, currency: "USD" }, tokens: 1_234 },
    { ...same, turn: second?.turn },
  ]);
});

const modes = (currentModeId: string) => ({
  currentModeId,
  availableModes: ["bypass", "ask"].map((id) => ({ id, name: id })),
});

test("C7: what a session began with is open to who keeps to it, and the agent is brought back to it", async () => {
  await using rig = new PlainRig({
    mayChoose: ({ setting, value, initial, user }) =>
      setting !== "mode" || user === "op" || value === initial,
  });
  rig.agent.setup = { modes: modes("ask") };
  await rig.run("one");
  expect(rig.agent.calls.filter((call) => call.startsWith("set"))).toEqual([]);

  // The agent itself: said at once, undone before the next prompt.
  rig.agent.reply = (_, session) => {
    rig.agent.update(session, { sessionUpdate: "current_mode_update", currentModeId: "bypass" });
    return "ok";
  };
  expect(notices(await rig.run("two"))).toEqual(["The agent changed its mode to bypass."]);
  rig.agent.reply = () => "ok";
  expect(notices(await rig.run("three"))).toEqual([
    "The mode bypass is not open to you here: this runs with ask.",
  ]);
  expect(rig.agent.calls.slice(-2)).toEqual(["set mode ask of s1", "prompt s1: three"]);

  // An operator's choice holds for their own turns.
  const choose = (user: string, key: string) =>
    rig.router.submit("c", { kind: "choose", key, user, settings: { mode: "bypass" }, at: 1 });
  await choose("ana", "by-ana");
  await rig.run("four");
  expect(rig.agent.calls.at(-1)).toBe("prompt s1: four");
  await choose("op", "by-op");
  await rig.run("five", { user: "op" });
  expect(rig.agent.calls.at(-2)).toBe("set mode bypass of s1");
  await rig.run("six");
  expect(rig.agent.calls.at(-2)).toBe("set mode ask of s1");
  const refused = rig.reports.flatMap((report) =>
    report.kind === "choice-refused" ? [`${report.user} ${report.setting} ${report.value}`] : [],
  );
  expect(refused).toEqual(["ana mode bypass", "ana mode bypass", "ana mode bypass"]);
});

test("C7: a session that is found again in another mode is not taken to have begun with it", async () => {
  const rule = {
    mayChoose: ({
      setting,
      value,
      initial,
    }: {
      setting: string;
      value: unknown;
      initial?: unknown;
    }) => setting !== "mode" || value === initial,
  };
  const before = new PlainRig(rule);
  before.agent.setup = { modes: modes("ask") };
  await before.run("one");
  const { store, agent } = before;
  await before.router[Symbol.asyncDispose]();
  agent.setup = { modes: modes("bypass") };
  await using rig = new PlainRig({ store, agent, ...rule });
  await rig.run("two");
  expect(agent.calls.slice(-3)).toEqual(["resume s1", "set mode ask of s1", "prompt s1: two"]);
});
