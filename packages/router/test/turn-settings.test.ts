import { expect, test } from "vitest";
import { type ChooseItem, DEFAULT_OPTIONS, type LogEvent } from "../src/index.ts";
import { outcomeOf, textOf } from "./agent-rig.ts";
import { notices, PlainAgent, PlainRig } from "./plain-agent.ts";

const select = (id: string, category: string, currentValue: string, values: readonly string[]) => ({
  id,
  name: id,
  category,
  type: "select" as const,
  currentValue,
  options: values.map((value) => ({ value, name: value })),
});
const configOptions = (model: string, thinking = "low") => [
  select("llm", "model", model, ["a", "b", "c"]),
  select("think", "thought_level", thinking, ["off", "low", "high"]),
];
const modes = (currentModeId: string) => ({
  currentModeId,
  availableModes: ["ask", "code"].map((id) => ({ id, name: id })),
});

function open(config: ConstructorParameters<typeof PlainRig>[0] = {}): PlainRig {
  const rig = new PlainRig(config);
  rig.agent.setup = { configOptions: configOptions("a"), modes: modes("ask") };
  return rig;
}
const options = (model: string, thinking = "") => ({
  options: { ...DEFAULT_OPTIONS, model, thinking },
});
let choices = 0;
const choose = (rig: PlainRig, choice: Partial<ChooseItem>) => {
  choices += 1;
  const item = { kind: "choose", key: `choice${choices}`, user: "ana", at: 1, ...choice } as const;
  return rig.router.submit("c", item);
};
const sets = (rig: PlainRig) => rig.agent.calls.filter((call) => call.startsWith("set"));
const modelOf = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.kind === "turn-start" ? [event.model] : []))[0];

test("what was chosen is applied before the prompt, model first, and only what differs", async () => {
  await using rig = open();
  expect(modelOf(await rig.run("x", options("b", "high")))).toBe("b");
  await rig.run("y", options("b", "high"));
  expect(rig.agent.calls).toEqual([
    "new s1",
    "set llm b of s1",
    "set think high of s1",
    "prompt s1: x",
    "prompt s1: y",
  ]);
});

test("settings are applied again after every attach", async () => {
  const before = open();
  await before.run("x", options("b"));
  await choose(before, { settings: { mode: "code" } });
  await before.run("y", options("b"));
  const { store, agent } = before;
  await before.router[Symbol.asyncDispose]();
  agent.calls.length = 0;
  await using rig = new PlainRig({ store, agent });
  await rig.run("z", options("b"));
  expect(agent.calls).toEqual([
    "resume s1",
    "set llm b of s1",
    "set mode code of s1",
    "prompt s1: z",
  ]);
});

test("of a command and a parameter the newer one wins, also after a restart", async () => {
  const before = open();
  expect(modelOf(await before.run("1", options("b")))).toBe("b");
  await choose(before, { settings: { model: "c" } });
  expect(modelOf(await before.run("2", options("b")))).toBe("c");
  const { store, agent } = before;
  await before.router[Symbol.asyncDispose]();
  await using rig = new PlainRig({ store, agent });
  expect(modelOf(await rig.run("3", options("b")))).toBe("c");
  expect(modelOf(await rig.run("4", options("a")))).toBe("a");
});

test("a choice that is taken back leaves the default", async () => {
  await using rig = open({ defaults: { ...DEFAULT_OPTIONS, model: "b" } });
  await choose(rig, { settings: { model: "c" } });
  expect(modelOf(await rig.run("1", options("b")))).toBe("c");
  await choose(rig, { settings: { model: "" } });
  expect(modelOf(await rig.run("2", options("b")))).toBe("b");
});

test("a choice is in the log, with who made it", async () => {
  await using rig = open();
  await choose(rig, { user: "bob", settings: { model: "c", mode: "code" } });
  const events = await rig.store.read("c", 0, 10);
  expect(events).toMatchObject([{ kind: "config", by: "bob", model: "c", mode: "code" }]);
});

test("what the agent changed by itself is announced and not undone", async () => {
  await using rig = open();
  await rig.run("1", options("b"));
  rig.agent.reply = (_, session) => {
    const update = { sessionUpdate: "config_option_update", configOptions: configOptions("c") };
    rig.agent.update(session, update);
    rig.agent.update(session, { sessionUpdate: "current_mode_update", currentModeId: "code" });
    return "switched";
  };
  const events = await rig.run("2", options("b"));
  expect(notices(events)).toEqual([
    "The agent changed its model to c.",
    "The agent changed its mode to code.",
  ]);
  rig.agent.reply = () => "ok";
  expect(modelOf(await rig.run("3", options("b")))).toBe("c");
  expect(sets(rig)).toEqual(["set llm b of s1"]);
});

test("the agent's echo of what it was asked for is no news", async () => {
  await using rig = open();
  const set = rig.agent.setConfigOption.bind(rig.agent);
  rig.agent.setConfigOption = async (session, id, value) => {
    await set(session, id, value);
    const update = {
      sessionUpdate: "config_option_update",
      configOptions: configOptions("b", "off"),
    };
    rig.agent.update(session, update);
  };
  expect(notices(await rig.run("1", options("b")))).toEqual([]);
});

test("a thinking level that the agent refuses is said once, and asked for again only when it changes", async () => {
  await using rig = open();
  expect(notices(await rig.run("1", options("", "max")))).toEqual([
    expect.stringMatching(/^The thinking could not be changed to max \(ref \w{4}\)\.$/),
  ]);
  expect(notices(await rig.run("2", options("", "max")))).toEqual([]);
  await rig.run("3", options("", "high"));
  expect(sets(rig)).toEqual(["set think high of s1"]);
});

test("an agent without a thinking level is never asked for one, and nobody is told", async () => {
  await using rig = new PlainRig();
  expect(notices(await rig.run("1", options("", "max")))).toEqual([]);
  expect(sets(rig)).toEqual([]);
});

test("models that a resumed session tells are its conversation's, and nobody else's", async () => {
  const before = open();
  await before.run("1");
  const { store, agent } = before;
  await before.router[Symbol.asyncDispose]();
  await using rig = new PlainRig({ store, agent });
  agent.setup = { configOptions: configOptions("c") };
  expect(modelOf(await rig.run("2"))).toBe("c");
  agent.setup = { configOptions: configOptions("b") };
  const other = await rig.router.submit("other", {
    kind: "prompt",
    key: "o",
    user: "bob",
    query: [{ role: "user", content: "x", messageId: "o", attachments: [] }],
    options: DEFAULT_OPTIONS,
    repeat: "attach",
    at: 1,
  });
  for await (const _ of rig.router.log("other").follow(other));
  const start = (await rig.store.read("other", 0, 20)).find((one) => one.kind === "turn-start");
  expect(start).toMatchObject({ model: "b" });
  expect(modelOf(await rig.run("3"))).toBe("c");
});

const onlyAna =
  (value: string) =>
  ({ user, value: chosen }: { user: string; value: string | boolean }) =>
    chosen !== value || user === "ana";

test.each([
  ["by parameter", (rig: PlainRig) => rig.run("x", { user: "bob", ...options("c") })],
  [
    "by command",
    async (rig: PlainRig) => {
      await choose(rig, { user: "bob", settings: { model: "c" } });
      return rig.run("x", { user: "bob" });
    },
  ],
])("a value that a person's rule does not list is never selected: %s", async (_, run) => {
  await using rig = open({ mayChoose: onlyAna("c") });
  expect(modelOf(await run(rig))).toBe("a");
  expect(sets(rig)).toEqual([]);
  const told = notices(await rig.store.read("c", 0, 50));
  expect(told).toEqual(["The model c is not open to you here."]);
});

test("what one person chose runs for nobody to whom it is not open, and is theirs again afterwards", async () => {
  await using rig = open({ mayChoose: onlyAna("c") });
  expect(modelOf(await rig.run("1", options("c")))).toBe("c");
  const bobs = await rig.run("2", { user: "bob" });
  expect(modelOf(bobs)).toBe("a");
  expect(notices(bobs)).toEqual(["The model c is not open to you here: this runs with a."]);
  expect(modelOf(await rig.run("3", options("c")))).toBe("c");
});

test("a person to whom nothing is open that the agent could run with is refused, and the agent hears nothing", async () => {
  await using rig = open({ mayChoose: ({ setting }) => setting !== "model" });
  expect(outcomeOf(await rig.run("1"))).toMatchObject({ kind: "failed", code: "not-allowed" });
  expect(rig.agent.prompts).toEqual([]);
});

test("each agent has a session of its own in a conversation, and hears what the other one answered", async () => {
  const second = new PlainAgent(undefined, "t");
  await using rig = open({ agents: new Map([["second", second]]) });
  rig.agent.reply = (text) => `first on ${text}`;
  second.reply = (text) => `second on ${text}`;
  await rig.run("1");
  await choose(rig, { agent: "second" });
  expect(textOf(await rig.run("2"))).toBe("second on 2");
  expect(second.prompts.at(-1)?.[0]).toMatch(/user>\n1\n[\s\S]*assistant>\nfirst on 1\n/);
  expect(rig.agent.calls).toContain("close s1");
  await rig.run("3");
  expect(second.prompts.at(-1)).toEqual(["3"]);
  await choose(rig, { agent: "" });
  await rig.run("4");
  expect(rig.agent.calls.at(-2)).toBe("resume s1");
  const [history] = rig.agent.prompts.at(-1) ?? [];
  expect(history).toMatch(/second on 2[\s\S]*second on 3/);
  expect(history).not.toContain("first on 1");
});

test("the choice of an agent outlives a restart; one that is not there or not open is refused", async () => {
  const second = new PlainAgent(undefined, "t");
  const agents = new Map([["second", second]]);
  const before = open({ agents });
  await choose(before, { agent: "second" });
  await before.run("1");
  const { store, agent } = before;
  await before.router[Symbol.asyncDispose]();
  await using rig = new PlainRig({ store, agent, agents, mayChoose: ({ user }) => user === "ana" });
  await choose(rig, { agent: "third" });
  await choose(rig, { agent: "", user: "bob" });
  await rig.run("2");
  expect(second.prompts).toHaveLength(2);
  const told = notices(await store.read("c", 0, 100));
  expect(told).toContain("The agent third is not open to you here.");
});

test("a choice that is taken back where nothing else is chosen leaves what the agent began with", async () => {
  await using rig = open();
  await rig.run("1");
  await choose(rig, { settings: { model: "c", mode: "code" } });
  await rig.run("2");
  await choose(rig, { settings: { model: "", mode: "" } });
  expect(modelOf(await rig.run("3"))).toBe("a");
  expect(sets(rig).slice(-2)).toEqual(["set llm a of s1", "set mode ask of s1"]);
});

test("an agent that is not open to a person does not run their turn", async () => {
  const second = new PlainAgent(undefined, "t");
  const agents = new Map([["second", second]]);
  await using rig = open({ agents, mayChoose: onlyAna("second") });
  await choose(rig, { agent: "second" });
  expect(textOf(await rig.run("1"))).toBe("ok");
  const bobs = await rig.run("2", { user: "bob" });
  expect(notices(bobs)).toEqual([
    "The agent second is not open to you here: this runs with the usual one.",
  ]);
  expect(second.prompts).toHaveLength(1);
  expect(rig.agent.prompts.at(-1)?.at(-1)).toBe("2");
});

test("a choice of which nothing is open is told, and not in the log as made", async () => {
  await using rig = open({ mayChoose: () => false });
  await choose(rig, { settings: { model: "c" } });
  const events = await rig.store.read("c", 0, 10);
  expect(events.map(({ kind }) => kind)).toEqual(["notice"]);
});

test("a mode and other settings that came with a message are choices like its model", async () => {
  await using rig = open();
  const web = { id: "web", name: "web", type: "boolean", currentValue: true };
  rig.agent.setup = {
    configOptions: [...configOptions("a"), web],
    modes: modes("ask"),
  } as typeof rig.agent.setup;
  const chosen = { options: { ...DEFAULT_OPTIONS, settings: { mode: "code", web: false } } };
  await rig.run("x", chosen);
  expect(sets(rig)).toEqual(["set mode code of s1", "set web false of s1"]);
  await rig.run("y", chosen);
  await rig.run("z");
  expect(sets(rig)).toHaveLength(2);
});

test("a mode that came with a message and is not open to its sender is refused in words", async () => {
  await using rig = open({
    mayChoose: ({ setting, value, initial }) => setting !== "mode" || value === initial,
  });
  const events = await rig.run("x", {
    options: { ...DEFAULT_OPTIONS, settings: { mode: "code" } },
  });
  expect(notices(events)).toEqual(["The mode code is not open to you here."]);
  expect(sets(rig)).toEqual([]);
});
