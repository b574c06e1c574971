import { tmpdir } from "node:os";
import { afterEach, expect, test } from "vitest";
import type { AnswerItem } from "../src/index.ts";
import { AgentRig, message, outcomeOf, textOf } from "./agent-rig.ts";

const rigs: AgentRig[] = [];
const open = (...args: ConstructorParameters<typeof AgentRig>): AgentRig => {
  const rig = new AgentRig(...args);
  rigs.push(rig);
  return rig;
};
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

const say = (text: string) => ({ kind: "text", text });
const ask = {
  kind: "ask",
  toolCall: { toolCallId: "1", title: "Run", kind: "execute", rawInput: { command: "ls" } },
  options: [{ optionId: "once", name: "Allow", kind: "allow_once" }],
  on: { once: [say("allowed")] },
};
const script = {
  prompt: [{ kind: "when", says: "ask", steps: [ask], otherwise: [say("{{prompt}}")] }],
};

/** A router with a turn that waits for an answer, and one on the same store that is to take over. */
async function asking() {
  const old = open(script);
  const next = open(script, { store: old.store });
  const posted = await old.router.submit("c", message("ask"));
  const [asked] = (await old.follow(posted.turn, { until: "permission-ask" })).slice(-1);
  if (asked?.kind !== "permission-ask") throw new Error("it did not ask");
  const answer: AnswerItem = {
    kind: "answer",
    key: "a1",
    user: "ana",
    permission: asked.ask.id,
    option: "once",
    at: Date.now(),
  };
  return { old, next, turn: posted.turn, answer };
}

test("a running turn goes on to its end, and takes an answer that comes meanwhile", async () => {
  const { old, turn, answer } = await asking();
  const retired = old.router.retire();
  await old.router.submit("c", answer);
  const events = await old.follow(turn);
  expect(textOf(events)).toBe("allowed");
  expect(outcomeOf(events)).toMatchObject({ kind: "completed" });
  await retired;
  expect(old.router.size).toBe(0);
});

test("a turn that waits is started by the next router once the running one has ended, and once only", async () => {
  const { old, next, answer } = await asking();
  const waiting = await old.router.submit("c", message("behind"));
  const retired = old.router.retire();
  const later = await old.router.submit("c", message("last"));
  await next.router.submit("c", answer);
  expect(textOf(await next.follow(waiting.turn))).toBe("behind");
  expect(textOf(await next.follow(later.turn))).toBe("last");
  await retired;
  expect(old.received("session/prompt")).toHaveLength(1);
  expect(next.received("session/prompt")).toHaveLength(2);
});

test("nothing new is taken: it waits for another router", async () => {
  const old = open(script);
  await old.run("first");
  await old.router.retire();
  const { turn } = await old.router.submit("c", message("second"));
  expect(await old.store.orphans()).toEqual(["c"]);
  const next = open(script, { store: old.store });
  await next.router.recover();
  expect(textOf(await next.follow(turn))).toBe("second");
  expect(old.received("session/prompt")).toHaveLength(1);
});

test("what runs can be ended before the router goes: nothing else is started, and the log says why", async () => {
  const { old, next, turn } = await asking();
  const waiting = await old.router.submit("c", message("behind"));
  await old.router.endTurns();
  expect(outcomeOf(await next.follow(turn))).toEqual({ kind: "cancelled", cause: "shutdown" });
  await next.router.recover();
  expect(textOf(await next.follow(waiting.turn))).toBe("behind");
  expect(old.received("session/prompt")).toHaveLength(1);
});

test("disposing ends what runs, and leaves what waits behind a retired turn", async () => {
  const { old, next, turn } = await asking();
  const waiting = await old.router.submit("c", message("behind"));
  const retired = old.router.retire();
  await old.router[Symbol.asyncDispose]();
  await retired;
  expect(outcomeOf(await next.follow(turn))).toEqual({ kind: "cancelled", cause: "shutdown" });
  await next.router.recover();
  expect(textOf(await next.follow(waiting.turn))).toBe("behind");
});

test("two routers work in one exclusive directory one after the other", async () => {
  let holder = "";
  const locks: { free: () => void }[] = [];
  const lockFor = (name: string) => async () => {
    while (holder !== "") await new Promise<void>((free) => locks.push({ free }));
    holder = name;
    return () => {
      holder = "";
      for (const { free } of locks.splice(0)) free();
    };
  };
  const workspace = { cwd: tmpdir(), roots: [], filesDir: "", exclusive: "shop" };
  const config = (name: string) => ({
    workspaceFor: () => workspace,
    lockWorkspace: lockFor(name),
  });
  const old = open(script, config("old"));
  const next = open(script, config("next"));
  const { turn } = await old.router.submit("c", message("ask"));
  await old.follow(turn, { until: "permission-ask" });
  const other = await next.router.submit("d", message("other"));
  await next.follow(other.turn, { conversation: "d", until: "status" });
  expect(holder).toBe("old");
  await old.router.cancelTurn("c", turn, "user");
  expect(textOf(await next.follow(other.turn, { conversation: "d" }))).toBe("other");
  expect(holder).toBe("");
});
