import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STEERING } from "@acp-kit/acp-wire";
import { expect, test } from "vitest";
import type { PromptItem } from "../src/index.ts";
import { textOf } from "./agent-rig.ts";
import { PlainAgent, PlainRig } from "./plain-agent.ts";

/** An agent that serves each person by one of their own, until that one is ended. */
class Personal extends PlainAgent {
  readonly own = new Map<string, PlainAgent>();

  forPerson(user: string): PlainAgent {
    const known = this.own.get(user);
    if (known) return known;
    const agent = new PlainAgent(undefined, `${user}-`);
    this.own.set(user, agent);
    return agent;
  }

  callsOf(user: string): readonly string[] {
    return this.own.get(user)?.calls ?? [];
  }
}

const from = (user: string): Partial<PromptItem> => ({ user });

test("two people in one conversation have a session each, which hears what was said in the other", async () => {
  const agent = new Personal();
  await using rig = new PlainRig({ agent });
  await rig.run("apples", from("ana"));
  await rig.run("bread", from("bob"));
  await rig.run("cheese", from("ana"));
  expect(agent.calls).toEqual([]);
  expect(agent.callsOf("ana")).toEqual([
    ...["new ana-1", "prompt ana-1: apples", "close ana-1", "resume ana-1"],
    "prompt ana-1: cheese",
  ]);
  expect(agent.own.get("bob")?.prompts.flat().join()).toContain("apples");
  const heard = agent.own.get("ana")?.prompts.at(-1)?.join() ?? "";
  expect(heard).toContain("bread");
  expect(heard).not.toContain("apples");
});

test("each person's session is found again after a restart, and when their agent was ended meanwhile", async () => {
  const agent = new Personal();
  const before = new PlainRig({ agent });
  await before.run("a", from("ana"));
  await before.run("b", from("bob"));
  await before.router[Symbol.asyncDispose]();
  await using rig = new PlainRig({ agent, store: before.store });
  await rig.run("c", from("ana"));
  await rig.run("d", from("bob"));
  expect(agent.callsOf("ana").slice(-3)).toEqual([
    ...["resume ana-1", "prompt ana-1: c", "close ana-1"],
  ]);
  expect(agent.callsOf("bob").slice(-2)).toEqual(["resume bob-1", "prompt bob-1: d"]);
  const { stored } = agent.forPerson("bob");
  agent.own.delete("bob");
  for (const session of stored) agent.forPerson("bob").stored.add(session);
  await rig.run("e", from("bob"));
  expect(agent.callsOf("bob")).toEqual(["resume bob-1", "prompt bob-1: e"]);
});

test("a reaction reaches the session of whose it is, and no other's", async () => {
  const agent = new Personal();
  await using rig = new PlainRig({ agent, stateDir: mkdtempSync(join(tmpdir(), "router-test-")) });
  await rig.run("a", from("ana"));
  await rig.router.reportReaction("c", "bob", "m", "like", "added");
  await rig.run("b", from("ana"));
  expect(agent.callsOf("ana").join()).not.toContain("reaction");
  await rig.router.reportReaction("c", "ana", "m", "like", "added");
  await rig.run("c", from("ana"));
  expect(agent.callsOf("ana").filter((call) => call.includes("reaction"))).toHaveLength(1);
  expect(agent.callsOf("bob")).toEqual([]);
});

test("another person's message is never given to a person's own agent in the middle of its answer", async () => {
  const agent = new Personal();
  const steered: string[] = [];
  const ana = Object.assign(
    new PlainAgent({ sessionCapabilities: { resume: {} }, _meta: { [STEERING]: {} } }, "ana-"),
    {
      steer: async (_session: string, blocks: readonly { readonly text?: unknown }[]) => {
        steered.push(String(blocks.at(-1)?.text));
        return true;
      },
    },
  );
  agent.own.set("ana", ana);
  await using rig = new PlainRig({ agent, roleOf: () => "operator" });
  const { router } = rig;
  const answer = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  ana.reply = () => {
    begun.resolve();
    return answer.promise;
  };
  const first = rig.run("a", from("ana"));
  await begun.promise;
  const second = rig.run("b", { user: "bob", busy: "steer" });
  await rig.run("c", { user: "ana", busy: "steer" });
  answer.resolve("done");
  expect(textOf(await first)).toBe("done");
  await second;
  expect(steered).toEqual(["c"]);
  expect(agent.callsOf("bob").at(-1)).toBe("prompt bob-1: b");
  expect(await router.openTurns("c")).toEqual([]);
});

test("what is known of a conversation is of the session of whoever asks, else of the last one", async () => {
  const agent = new Personal();
  await using rig = new PlainRig({ agent });
  await rig.run("a", from("ana"));
  await rig.run("b", from("bob"));
  const sessionOf = async (user?: string) => (await rig.router.describe("c", user)).session;
  expect(await sessionOf("ana")).toBe("ana-1");
  expect(await sessionOf()).toBe("bob-1");
  expect(await sessionOf("cleo")).toBeUndefined();
  await rig.router.submit("c", { kind: "reset", key: "r", user: "ana", at: 1 });
  expect(await sessionOf("ana")).toBeUndefined();
  expect(await sessionOf()).toBeUndefined();
});
