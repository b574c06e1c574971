import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../src/index.ts";
import { AgentRig } from "./agent-rig.ts";

const script = {
  agent: {
    models: [
      { id: "a", name: "Model A" },
      { id: "b", name: "b" },
    ],
    modes: [{ id: "plan", name: "Plan" }],
  },
  prompt: [
    {
      kind: "update",
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "compact", description: "Compacts" }],
      },
    },
    { kind: "update", update: { sessionUpdate: "usage_update", used: 25, size: 100 } },
    { kind: "text", text: "{{model}}" },
  ],
};
const choose = (key: string, user: string, settings: Record<string, string>) =>
  ({ kind: "choose", key, user, settings, at: 1 }) as const;

test("a conversation in which nothing was said has no session and no log, and describing it makes neither", async () => {
  await using rig = new AgentRig(script);
  expect(await rig.router.describe("c")).toEqual({
    agent: "",
    isAgentChosen: false,
    settings: new Map(),
    commands: [],
  });
  expect(await rig.router.log("c").last()).toBe(0);
  expect(rig.agent.info).toBeUndefined();
});

test("what was chosen is known before there is a session, with who chose it", async () => {
  await using rig = new AgentRig(script);
  await rig.router.submit("c", choose("1", "ana", { model: "b" }));
  const { settings, session } = await rig.router.describe("c");
  expect(settings.get("model")).toEqual({ available: [], wanted: "b", by: "ana" });
  expect(session).toBeUndefined();
});

test("an attached session tells what runs, what there is to choose, its commands and how full it is", async () => {
  await using rig = new AgentRig(script);
  await rig.run("hello");
  const state = await rig.router.describe("c");
  expect(state).toMatchObject({ commands: ["compact"], contextUse: 0.25 });
  expect(state.session).toEqual(expect.any(String));
  expect(state.settings.get("model")).toEqual({
    current: "a",
    initial: "a",
    available: ["a", "b"],
    names: { a: "Model A" },
  });
  expect(state.settings.get("mode")).toMatchObject({ current: "plan", names: { plan: "Plan" } });
});

test("a choice is its maker's until somebody else makes another", async () => {
  await using rig = new AgentRig(script);
  await rig.run("hello");
  await rig.router.submit("c", choose("1", "ana", { model: "b" }));
  await rig.router.submit("c", choose("2", "bob", { mode: "plan" }));
  const { settings } = await rig.router.describe("c");
  expect(settings.get("model")).toMatchObject({ current: "a", wanted: "b", by: "ana" });
  expect(settings.get("mode")).toMatchObject({ wanted: "plan", by: "bob" });
});

test("a message that the agent is sent another text for is queued under that text", async () => {
  await using rig = new AgentRig(script);
  const [queued] = await rig.run("!retry", { text: "fix the test" });
  expect(queued).toMatchObject({ kind: "turn-queued", text: "fix the test" });
  expect(JSON.stringify(rig.received("session/prompt"))).toContain("fix the test");
});

test("a default that comes with a message is nobody's choice, and none that a command made before it gives way to", async () => {
  await using rig = new AgentRig(script);
  const options = { ...DEFAULT_OPTIONS, model: "a" };
  await rig.router.submit("c", choose("1", "ana", { model: "b" }));
  await rig.run("hello", { options, defaults: options });
  expect((await rig.router.describe("c")).settings.get("model")).toMatchObject({
    wanted: "b",
    by: "ana",
  });
  const elsewhere = { conversation: "d", options, defaults: options };
  await rig.run("hello", elsewhere);
  expect((await rig.router.describe("d")).settings.get("model")).toMatchObject({
    wanted: "a",
    by: "",
  });
  await rig.run("hello", { ...elsewhere, options: { ...options, model: "b" } });
  const { settings } = await rig.router.describe("d");
  expect(settings.get("model")).toMatchObject({ wanted: "b", by: "ana" });
});
