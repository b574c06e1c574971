import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Script } from "@acp-kit/demo-agent";
import { createPoeId, promptsIn, readRecord, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { KEY, KeptRelay, SOON_MS } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 5 * SOON_MS, hookTimeout: SOON_MS });

const ask = (kind: string) =>
  ({
    kind: "when",
    says: kind,
    steps: [
      {
        kind: "ask",
        toolCall: { toolCallId: kind, title: kind, kind, rawInput: { command: `do ${kind}` } },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
        on: {
          yes: [{ kind: "text", text: `did ${kind}` }],
          no: [{ kind: "text", text: `left ${kind}` }],
        },
      },
    ],
  }) as const;

const agent = {
  prompt: [
    ask("edit"),
    ask("delete"),
    ask("execute"),
    { kind: "when", says: "login", steps: [{ kind: "fail", code: -32000, message: "who?" }] },
    { kind: "when", says: "dawdle", steps: [{ kind: "text", text: "well…" }, { kind: "wait" }] },
    { kind: "text", text: "." },
  ],
} as const satisfies Script;

async function start(bot: object, config: object = {}): Promise<KeptRelay> {
  const bots = { poe: { surface: "poe", accessKeys: [KEY], ...bot } };
  const relay = await KeptRelay.start(agent, { bots, ...config });
  onTestFinished(() => relay[Symbol.asyncDispose]());
  return relay;
}

function open(relay: KeptRelay, text: string, conversation = createPoeId("c")) {
  return relay.poe.query({ text, conversation });
}

async function say(relay: KeptRelay, text: string): Promise<string> {
  const query = open(relay, text);
  expect((await waitFor("the answer", query.done, SOON_MS)).how).toBe("done");
  return query.body();
}

test("C8: what a workspace permits for one kind of tool call is asked for, refused or allowed for another", async () => {
  const permissions = { edit: "allow", delete: "deny", default: "ask" };
  const workspaces = { scratch: { isolation: "scratch", permissions } };
  const relay = await start({}, { workspaces });
  expect(await say(relay, "edit")).toContain("did edit");
  expect(await say(relay, "delete")).toContain("left delete");
  const asked = await say(relay, "execute");
  expect(asked).toContain("do execute");
  expect(asked).not.toMatch(/did|left/);
});

test("a bot's standing instructions reach the agent in front of the first message, the file as it is then", async () => {
  const file = path.join(tmpdir(), `${createPoeId("d")}.md`);
  onTestFinished(() => rmSync(file, { force: true }));
  writeFileSync(file, "Rules of the file.");
  const relay = await start({ systemPrompt: "Be brief.", systemPromptFile: file });
  await say(relay, "one");
  expect(relay.prompts[0]).toMatch(/^Be brief\.\nRules of the file\.[\s\S]*one$/);
  writeFileSync(file, "Other rules.");
  await say(relay, "two");
  expect(relay.prompts[1]).toMatch(/^Be brief\.\nOther rules\.[\s\S]*two$/);
});

test("who meets an agent that wants a login is told the operator's words", async () => {
  const relay = await start({ authErrorHint: "Ask **Ana** to log in." });
  expect(await say(relay, "login")).toContain("Ask **Ana** to log in.");
});

test("C31: a turn ends after turnMinutes, and says so", async () => {
  const relay = await start({}, { limits: { turnMinutes: 0.02 } });
  expect(await say(relay, "dawdle")).toContain("the turn reached its limit");
});

test("with the busy policy interrupt a message ends the turn before it", async () => {
  const relay = await start({ busyPolicy: "interrupt" });
  const conversation = createPoeId("c");
  const first = open(relay, "dawdle", conversation);
  await first.waitFor((one) => one.body().includes("well…"));
  const second = open(relay, "go on", conversation);
  expect((await waitFor("the first", first.done, SOON_MS)).how).toBe("done");
  expect(first.body()).toContain("a newer message took over");
  expect((await waitFor("the second", second.done, SOON_MS)).how).toBe("done");
  expect(relay.prompts).toHaveLength(2);
});

test("several bots of one process have paths and conversations of their own, and each of its keys opens a bot", async () => {
  const keys = (letter: string) => [letter.repeat(32), letter.toUpperCase().repeat(32)];
  const bots = {
    poe: { surface: "poe", path: "/poe", accessKeys: keys("a"), introduction: "I am one." },
    two: { surface: "poe", path: "/two", accessKeys: keys("b"), introduction: "I am another." },
  };
  const relay = await start({}, { bots });
  const settings = async (path: string, key: string) => {
    const { status, json } = await relay.driver(path, key).settings();
    return status === 200
      ? (json as { introduction_message: string }).introduction_message
      : status;
  };
  for (const key of keys("a")) {
    expect(await settings("/poe", key)).toBe("I am one.");
    expect(await settings("/two", key)).toBe(401);
  }
  for (const key of keys("b")) {
    expect(await settings("/two", key)).toBe("I am another.");
    expect(await settings("/poe", key)).toBe(401);
  }
  // One conversation of Poe's, told to both bots, is two conversations.
  const conversation = createPoeId("c");
  for (const [path, letter] of [
    ["/poe", "a"],
    ["/two", "b"],
  ] as const) {
    const query = relay.driver(path, letter.repeat(32)).query({ text: "hi", conversation });
    expect((await waitFor("the answer", query.done, SOON_MS)).how).toBe("done");
  }
  const sessions = promptsIn(readRecord(relay.record)).map(({ session }) => session);
  expect(new Set(sessions).size).toBe(2);
});
