import type { Script } from "@acp-kit/demo-agent";
import { createPoeId, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 5 * SOON_MS, hookTimeout: SOON_MS });

const agent = { prompt: [{ kind: "text", text: "heard {{prompt}}" }] } as const;

async function start(config: object = {}, script: Script = agent): Promise<KeptRelay> {
  const relay = await KeptRelay.start(script, config);
  onTestFinished(() => relay[Symbol.asyncDispose]());
  return relay;
}

/** What somebody is answered in a conversation of its own. */
async function say(
  relay: KeptRelay,
  text: string,
  userId: string,
  parameters: Record<string, string> = {},
): Promise<string> {
  const conversation = createPoeId("c");
  const query = relay.poe.query({ text, userId, conversation, parameters });
  expect((await waitFor("the answer", query.done, SOON_MS)).how).toBe("done");
  return query.body();
}

async function run(relay: KeptRelay, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await relay.run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

test("C10: the code of the console makes the first operator, who stays one; the code is in no log and not printed again", async () => {
  const relay = await start({ access: [] });
  const code = /^ {2}!pair (\d{3}-\d{3})$/m.exec(relay.stdout)?.[1] ?? "";
  expect(code).not.toBe("");
  expect(await say(relay, "hello", "u-ana")).toContain("`poe-relay allow u-ana`");
  expect(await say(relay, `!pair ${code}`, "u-ana")).toContain("You are this bot's operator now.");
  expect(await say(relay, "hello", "u-ana")).toContain("heard hello");
  expect(await say(relay, `!pair ${code}`, "u-eve")).toContain("There is no code to pair with.");
  await relay.handOver();
  expect(await say(relay, "again", "u-ana")).toContain("heard again");
  relay.kill("SIGTERM");
  expect(await relay.ends()).toBe(0);
  await relay.start();
  expect(relay.stdout).not.toContain("!pair");
  expect(relay.stderr).not.toContain(code);
  expect(relay.prompts).toEqual(["hello", "again"]);
  expect(await run(relay, "people", "list")).toMatch(/^operator +all bots +\S+ +u-ana$/m);
});

test("people are let in and removed while the relay runs", async () => {
  const relay = await start({ access: [] });
  expect(await say(relay, "one", "u-bob")).toContain("This bot is private.");
  expect(await run(relay, "allow", "u-bob")).toBe("u-bob is a user of all bots now.\n");
  expect(await say(relay, "two", "u-bob")).toContain("heard two");
  expect(await run(relay, "people", "remove", "u-bob")).toContain("u-bob was removed.");
  expect(await say(relay, "three", "u-bob")).toContain("This bot is private.");
  const decisions = (await run(relay, "audit", "list")).split("\n").filter(Boolean);
  expect(decisions.slice(-2)).toEqual([
    expect.stringMatching(/allow.*user/),
    expect.stringMatching(/allow.*removed/),
  ]);
});

test("C31: a pause and the limits hold over all processes of a relay, and what was used is told", async () => {
  const relay = await start({ limits: { turnsPerUserPerHour: 2 } });
  expect(await say(relay, "one", "u-ana")).toContain("heard one");
  await run(relay, "pause", "moving", "house");
  expect(await say(relay, "two", "u-ana")).toContain("This bot is paused (moving house).");
  await relay.handOver();
  expect(await say(relay, "two", "u-ana")).toContain("This bot is paused (moving house).");
  expect(await run(relay, "resume")).toBe("Turns start again.\n");
  expect(await say(relay, "three", "u-ana")).toContain("heard three");
  expect(await say(relay, "four", "u-ana")).toMatch(/limit of 2 turns an hour\. You can go on in/);
  expect(await say(relay, "five", "u-bob")).toContain("heard five");
  expect(relay.prompts).toEqual(["one", "three", "five"]);
  expect(await run(relay, "usage", "--by", "user", "--days", "1")).toMatch(
    /^ +2 +\d+\.\d +0 +0\.00 {2}u-ana\n +1 .* u-bob$/m,
  );
  expect(await run(relay, "usage", "--by", "project")).toMatch(/^ +3 .* scratch$/m);
});

test("C14: a value of the options panel that a person's rule does not list runs for nobody but an operator", async () => {
  const models = ["haiku", "opus"].map((id) => ({ id, name: id }));
  const modes = ["ask", "bypass"].map((id) => ({ id, name: id }));
  const prompt = [{ kind: "text", text: "{{model}} in {{mode}}" }] as const;
  const access = [
    { users: ["u-op"], role: "operator" },
    { users: ["u-ana"], models: ["haiku"] },
  ];
  const relay = await start({ access }, { agent: { models, modes }, prompt });
  expect(await say(relay, "one", "u-ana")).toContain("haiku in ask");
  const tried = { model: "opus", mode: "bypass", agent: "other", workspace: "/" };
  const told = await say(relay, "two", "u-ana", tried);
  expect(told).toContain("haiku in ask");
  expect(told).toContain("The model opus is not open to you here.");
  expect(told).toContain("The mode bypass is not open to you here.");
  expect(await say(relay, "three", "u-op", tried)).toContain("opus in bypass");
  expect(relay.stderr.match(/"setting":"model","value":"opus"/g)).toHaveLength(1);
  expect(relay.stderr.match(/"setting":"mode","value":"bypass"/g)).toHaveLength(1);
});
