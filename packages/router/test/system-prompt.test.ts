import { expect, test } from "vitest";
import { notices, PlainAgent, PlainRig } from "./plain-agent.ts";

const capable = {
  sessionCapabilities: { resume: {} },
  _meta: { "session.systemPrompt": { version: 1 } },
};

test("the first prompt of a session has the system prompt, by capability or in front of it", async () => {
  await using inside = new PlainRig({
    agent: new PlainAgent(capable),
    systemPromptProvider: () => "Be kind.",
  });
  await inside.run("a");
  expect(inside.agent.calls[0]).toBe('new s1 with [{"type":"text","text":"Be kind."}]');
  expect(inside.agent.prompts).toEqual([["a"]]);

  await using before = new PlainRig({ systemPromptProvider: () => "Be kind." });
  await before.run("a");
  await before.run("b");
  expect(before.agent.calls[0]).toBe("new s1");
  expect(before.agent.prompts).toEqual([[expect.stringMatching(/^Be kind\./), "a"], ["b"]]);
});

test.each([
  ["capable", capable, 1],
  ["not capable", undefined, 2],
])(
  "the system prompt is asked for with each session, new or resumed: an agent that is %s",
  async (_, capabilities, length) => {
    let version = 0;
    const asked: string[] = [];
    const systemPromptProvider = (conversation: string) => {
      asked.push(conversation);
      version += 1;
      return `Rules ${version}.`;
    };
    const before = new PlainRig({ agent: new PlainAgent(capabilities), systemPromptProvider });
    await before.run("a");
    await before.run("b");
    const { store, agent } = before;
    await before.router[Symbol.asyncDispose]();
    expect(asked).toEqual(["c"]);
    await using rig = new PlainRig({ store, agent, systemPromptProvider });
    await rig.run("c");
    await rig.run("d");
    // An agent that was given it with the session is trusted to have kept it.
    expect(agent.prompts.at(-2)).toHaveLength(length);
    if (length === 2) expect(agent.prompts.at(-2)?.[0]).toMatch(/^Rules 2\./);
    expect(agent.prompts.at(-1)).toEqual(["d"]);
  },
);

test("neither seed nor system prompt stands before a command", async () => {
  await using rig = new PlainRig({
    systemPromptProvider: () => "Be kind.",
    allowedCommands: (_, user) => (user === "ana" ? ["compact"] : []),
  });
  rig.agent.hold = Promise.resolve();
  const opened = rig.agent.newSession.bind(rig.agent);
  rig.agent.newSession = async (...args) => {
    const availableCommands = [{ name: "compact", description: "" }];
    args[1].update({
      sessionId: "s1",
      update: { sessionUpdate: "available_commands_update", availableCommands },
    });
    return opened(...args);
  };
  const old = { role: "user", content: "before", messageId: "u0", attachments: [] };
  const ask = (content: string, messageId: string, user = "ana") =>
    rig.run("", {
      key: messageId,
      user,
      query: [old, { role: "user", content, messageId, attachments: [] }],
    });
  await ask("/compact now", "u1");
  expect(rig.agent.prompts.at(-1)).toEqual(["/compact now"]);
  await ask("/compact", "u2", "bob");
  const [system, history, text] = rig.agent.prompts.at(-1) ?? [];
  expect(system).toMatch(/^Be kind\./);
  expect(history).toContain("before");
  expect(text).toBe(" /compact");
});

test("a system prompt that cannot be had is left out and reported", async () => {
  await using rig = new PlainRig({
    systemPromptProvider: () => {
      throw new Error("no such file");
    },
  });
  const events = await rig.run("a");
  expect(rig.agent.prompts).toEqual([["a"]]);
  expect(notices(events)).toEqual([]);
  expect(rig.reports).toContainEqual(
    expect.objectContaining({ kind: "failure", what: "system prompt" }),
  );
});
