import { afterEach, expect, test } from "vitest";
import type { AnswerItem, ChunkSink, LogEvent, PermissionAsk, Role } from "../src/index.ts";
import { AgentRig, message, textOf } from "./agent-rig.ts";

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
const asks = (command: string, kind = "execute") => ({
  kind: "ask",
  toolCall: { toolCallId: command, title: "Run", kind, rawInput: { command } },
  options: [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
  on: { once: [say("allowed ")], no: [say("refused ")], cancelled: [say("dropped ")] },
});
const roleOf = (user: string): Role => (user === "boss" ? "approver" : "user");

let answers = 0;
function answer(ask: PermissionAsk | undefined, user: string, option: string): AnswerItem {
  answers += 1;
  return { kind: "answer", key: `a${answers}`, user, permission: ask?.id ?? "", option, at: 1 };
}

/** A turn that asks, and its question. */
async function asked(rig: AgentRig, user = "ana", conversation = "c") {
  const { turn, after } = await rig.router.submit(conversation, message("go", { user }));
  const events = await rig.follow(turn, { conversation, after, until: "permission-ask" });
  const last = events.at(-1);
  return { turn, conversation, ask: last?.kind === "permission-ask" ? last.ask : undefined };
}

const kindsOf = (events: readonly LogEvent[]) => events.map(({ kind }) => kind);

test("C8: an always of a plain user is refused, and so is what the agent did not offer; the question stays open", async () => {
  const rig = open({ prompt: [asks("ls")] }, { roleOf });
  const { turn, ask } = await asked(rig);
  for (const option of ["always", "sudo"]) {
    expect((await rig.router.submit("c", answer(ask, "ana", option))).how).toBe("refused");
    await rig.store.post("c", answer(ask, "ana", option));
  }
  await rig.router.submit("c", answer(ask, "bob", "once"));
  const [running] = await rig.router.openTurns("c");
  expect(running?.asks).toEqual([ask]);
  expect((await rig.router.submit("c", answer(ask, "ana", "once"))).how).toBe("new");
  expect(textOf(await rig.follow(turn))).toBe("allowed ");
});

test("of two answers the first one wins, and the second is told that it came late", async () => {
  const rig = open({ prompt: [asks("ls")] }, { roleOf });
  const { turn, ask } = await asked(rig);
  const first = answer(ask, "ana", "no");
  expect((await rig.router.submit("c", first)).how).toBe("new");
  expect((await rig.router.submit("c", answer(ask, "boss", "once"))).how).toBe("late");
  expect((await rig.router.submit("c", first)).how).toBe("repeat");
  const events = await rig.follow(turn);
  expect(textOf(events)).toBe("refused ");
  expect(events.filter(({ kind }) => kind === "permission-answer")).toHaveLength(1);
});

test("questions that are open are told with the turn that asks, oldest first", async () => {
  const commands = Array.from({ length: 12 }, (_, n) => `command ${n}`);
  const rig = open({
    prompt: [{ kind: "together", branches: commands.map((command) => [asks(command)]) }],
  });
  const { turn } = await rig.router.submit("c", message("go"));
  await expect
    .poll(async () => (await rig.router.openTurns("c"))[0]?.asks.map(({ subject }) => subject), {
      timeout: 20_000,
    })
    .toEqual(commands);
  const [running] = await rig.router.openTurns("c");
  for (const ask of running?.asks ?? []) {
    await rig.router.submit("c", answer(ask, "ana", "once"));
  }
  const events = await rig.follow(turn);
  expect(events.filter(({ kind }) => kind === "permission-answer")).toHaveLength(12);
});

test("C18: always holds in every conversation of that person, until it is revoked", async () => {
  const rig = open(
    { prompt: [asks("ls")] },
    {
      roleOf,
      workspaceFor: () => ({ cwd: rig.directory, roots: [], filesDir: rig.directory }),
    },
  );
  const first = await asked(rig);
  await rig.router.submit("c", answer(first.ask, "boss", "always"));
  expect(textOf(await rig.follow(first.turn))).toBe("allowed ");
  expect(await rig.router.grants("ana")).toMatchObject([{ subject: "ls", by: "boss" }]);

  const again = await rig.run("go", { conversation: "d" });
  expect(textOf(again)).toBe("allowed ");
  expect(kindsOf(again)).not.toContain("permission-ask");
  const bobs = await asked(rig, "bob", "e");
  await rig.router.cancel("e");

  const revoke = { kind: "revoke", key: "r", user: "ana", at: 1 } as const;
  await rig.router.submit("c", revoke);
  expect(await rig.router.grants("ana")).toEqual([]);
  const asksAgain = await asked(rig, "ana", "d");
  expect([bobs.ask, asksAgain.ask].map((ask) => ask?.subject)).toEqual(["ls", "ls"]);
});

test("C13: with words of others in it a turn asks before it runs something, unless the operator wants otherwise", async () => {
  const others = [
    { role: "user", content: "run ls", messageId: "1", speaker: "Bob", attachments: [] },
    { role: "user", content: "go", messageId: "2", speaker: "Ana", attachments: [] },
  ];
  const own = others.map((turn) => ({ ...turn, speaker: "Ana" }));
  const script = { prompt: [asks("cat a", "read"), asks("ls")] };
  const careful = open(script, { permissionPolicy: () => "allow" });
  const events = await careful.run("go", { query: others, key: "2", until: "permission-ask" });
  expect(textOf(events)).toBe("allowed ");
  expect(textOf(await careful.run("go", { query: own, key: "3", conversation: "d" }))).toBe(
    "allowed allowed ",
  );
  const trusting = open(script, { permissionPolicy: () => "allow", askWhenTainted: false });
  expect(textOf(await trusting.run("go", { query: others, key: "2" }))).toBe("allowed allowed ");
});

test("C13: so it does when somebody else has spoken to the agent before", async () => {
  const rig = open({ prompt: [asks("ls")] }, { permissionPolicy: () => "allow" });
  expect(textOf(await rig.run("go", { user: "bob" }))).toBe("allowed ");
  const { ask } = await asked(rig, "ana");
  expect(ask).toMatchObject({ requester: "ana", subject: "ls" });
});

test("C8: a policy is chosen for each kind of tool", async () => {
  const rig = open(
    { prompt: [asks("cat a", "read"), asks("rm a", "delete"), asks("make")] },
    { permissionPolicy: (_, kind) => (kind === "execute" ? "allow" : "read-only") },
  );
  expect(textOf(await rig.run("go"))).toBe("allowed refused allowed ");
});

test("a sink that is slow does not hold the agent up", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait", ms: 5 }, say("b")] });
  const unblocked = Promise.withResolvers<void>();
  const nothing = () => undefined;
  const sink: ChunkSink = {
    text: () => unblocked.promise,
    replace: () => unblocked.promise,
    error: nothing,
    done: nothing,
    firstChunk: nothing,
    setProviderEmoji: nothing,
    setStatus: nothing,
  };
  const { query } = message("x");
  const renderer = {
    render: () => ({ parts: ["text"] }),
    say: (_: string, text: string) => text,
  };
  const request = { conversation: "c", user: "ana", query, options: rig.router.defaults, renderer };
  const shown = rig.router.prompt(request, sink);
  const isOver = async () =>
    (await rig.store.read("c", 0, 100)).some(({ kind }) => kind === "turn-end");
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
  unblocked.resolve();
  await shown;
});
