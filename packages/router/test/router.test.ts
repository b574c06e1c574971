import { afterEach, expect, test } from "vitest";
import { type AnswerItem, type ChunkSink, type MarkupRenderer, RouterError } from "../src/index.ts";
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
const question = {
  kind: "ask",
  toolCall: { toolCallId: "1", title: "Run", kind: "execute", rawInput: { command: "ls" } },
  options: [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
  on: {
    once: [say("allowed")],
    no: [say("refused")],
    cancelled: [say("dropped")],
  },
};

test("a prompt becomes one turn: queued, attached, started, answered, ended", async () => {
  const rig = open({ prompt: [say("hello {{prompt}}")] });
  const events = await rig.run("you");
  expect(events.map((event) => event.kind)).toEqual([
    "turn-queued",
    "status",
    "status",
    "session-attached",
    "turn-start",
    "text",
    "turn-end",
  ]);
  expect(textOf(events)).toBe("hello you");
  expect(outcomeOf(events)).toEqual({ kind: "completed", stopReason: "end_turn" });
});

test("the second prompt of a conversation uses its session; another conversation has its own", async () => {
  const rig = open({ prompt: [say("{{session}} {{turn}}")] });
  const first = textOf(await rig.run("a"));
  const second = textOf(await rig.run("b"));
  const other = textOf(await rig.run("c", { conversation: "d" }));
  const [session] = first.split(" ");
  expect(second).toBe(`${session} 2`);
  expect(other.split(" ")[0]).not.toBe(session);
  expect(rig.router.size).toBe(2);
});

test("prompts of one conversation run one at a time, in order; those of others run beside them", async () => {
  const rig = open({
    prompt: [
      {
        kind: "when",
        says: "slow",
        steps: [say("slow"), { kind: "wait", ms: 300 }, say(" done")],
        otherwise: [say("quick")],
      },
    ],
  });
  const slow = rig.run("slow");
  const next = rig.run("next");
  const beside = await rig.run("beside", { conversation: "d" });
  const [first, second] = await Promise.all([slow, next]);
  const end = first.at(-1);
  const start = second.find((event) => event.kind === "turn-start");
  expect(textOf(first)).toBe("slow done");
  expect(start && end && start.seq > end.seq).toBe(true);
  expect(second[0]).toMatchObject({ kind: "turn-queued", behind: first[0]?.turn });
  expect(beside.at(-1)?.at).toBeLessThan(end?.at ?? 0);
});

test("the agent gets no prompt before the log shows it", async () => {
  const rig = open({ prompt: [say("x")] });
  const events = await rig.run("a");
  const [prompt] = rig.received("session/prompt");
  expect(prompt).toBeDefined();
  const start = events.find((event) => event.kind === "turn-start");
  expect(start?.seq).toBeLessThan(events.find((event) => event.kind === "text")?.seq ?? 0);
});

test("a repeat attaches while its part is undelivered: one prompt; delivered, it is a new one", async () => {
  const rig = open({ prompt: [say("answer {{turn}}")] });
  const item = message("a", { key: "k" });
  const first = await rig.router.submit("c", item);
  const events = await rig.follow(first.turn);
  const again = await rig.router.submit("c", { ...item, request: "r2" });
  expect(again).toMatchObject({ how: "repeat", turn: first.turn, after: first.after });
  const seq = events.at(-1)?.seq ?? 0;
  expect(await rig.router.log("c").confirm("reader", 0, { seq, delivered: ["k"] })).toBe(true);
  const rerun = await rig.router.submit("c", { ...item, request: "r3" });
  expect(rerun.how).toBe("new");
  const second = await rig.follow(rerun.turn, { after: rerun.after });
  expect(second[0]).toMatchObject({ kind: "turn-queued", attempt: 2 });
  expect(textOf(second)).toBe("answer 2");
  expect(rig.received("session/prompt")).toHaveLength(2);
});

test("a cancel ends the turn as cancelled, tells the agent, and lets the next prompt run in the same session", async () => {
  const rig = open({
    prompt: [say("a"), { kind: "when", says: "long", steps: [{ kind: "wait" }] }],
  });
  const { turn } = await rig.router.submit("c", message("long"));
  await rig.follow(turn, { until: "text" });
  await rig.router.cancelTurn("c", turn, "user", "ana");
  expect(outcomeOf(await rig.follow(turn))).toEqual({ kind: "cancelled", cause: "user" });
  expect(rig.received("session/cancel")).toHaveLength(1);
  const next = await rig.run("short");
  expect(outcomeOf(next)).toMatchObject({ kind: "completed" });
  expect(next.map(({ kind }) => kind)).not.toContain("session-attached");
});

test("an agent that ignores a cancel loses its session; the next prompt gets a new one and says so", async () => {
  const rig = open(
    {
      prompt: [
        {
          kind: "when",
          says: "stuck",
          steps: [say("{{session}}"), { kind: "wait" }],
          otherwise: [say("{{session}}")],
        },
      ],
      cancel: [{ kind: "wait" }],
    },
    { turnLimits: { cancelGraceMs: 100 } },
  );
  const { turn } = await rig.router.submit("c", message("stuck"));
  const before = await rig.follow(turn, { until: "text" });
  await rig.router.cancel("c");
  expect(outcomeOf(await rig.follow(turn))).toEqual({ kind: "cancelled", cause: "user" });
  const next = await rig.run("next");
  expect(next.some((event) => event.kind === "session-attached")).toBe(true);
  expect(outcomeOf(next)).toMatchObject({ kind: "completed" });
  expect(textOf(before)).not.toBe("");
});

test("a queued turn that is cancelled never reaches the agent", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait", ms: 200 }] });
  const first = rig.run("one");
  const { turn } = await rig.router.submit("c", message("two"));
  await rig.router.cancelTurn("c", turn, "deleted");
  expect(outcomeOf(await rig.follow(turn))).toEqual({ kind: "cancelled", cause: "deleted" });
  await first;
  expect(rig.received("session/prompt")).toHaveLength(1);
});

test("a cancel is bound to its turn: one that has ended is late and touches nothing, the turn that runs by then included", async () => {
  const rig = open({
    prompt: [say("a"), { kind: "when", says: "two", steps: [{ kind: "wait", ms: 100 }, say("b")] }],
  });
  const events = await rig.run("one");
  const turn = events[0]?.turn ?? "";
  const next = await rig.router.submit("c", message("two"));
  await rig.follow(next.turn, { until: "text" });
  const cancel = { kind: "cancel", key: "x", user: "ana", turn, cause: "user", at: 1 } as const;
  expect((await rig.router.submit("c", cancel)).how).toBe("late");
  expect(textOf(await rig.follow(next.turn))).toBe("ab");
  expect(rig.received("session/cancel")).toHaveLength(0);
});

test("a question waits in the log, its answer continues the turn, a repeat of the answer does nothing", async () => {
  const rig = open({ prompt: [question, say("!")] });
  const { turn } = await rig.router.submit("c", message("go"));
  const asked = (await rig.follow(turn, { until: "permission-ask" })).at(-1);
  const ask = asked?.kind === "permission-ask" ? asked.ask : undefined;
  expect(ask).toMatchObject({ requester: "ana", subject: "ls", toolKind: "execute" });
  const answer: AnswerItem = {
    kind: "answer",
    key: "a1",
    user: "ana",
    permission: ask?.id ?? "",
    option: "once",
    at: 1,
  };
  expect((await rig.router.submit("c", answer)).how).toBe("new");
  expect((await rig.router.submit("c", answer)).how).toBe("repeat");
  const events = await rig.follow(turn);
  expect(textOf(events)).toBe("allowed!");
  expect(events.filter((event) => event.kind === "permission-answer")).toMatchObject([
    { end: "selected", option: { id: "once" }, by: "ana" },
  ]);
  expect((await rig.router.submit("c", { ...answer, key: "a2" })).how).toBe("late");
});

test("only the requester, an approver or an operator answers and cancels", async () => {
  const rig = open(
    { prompt: [question] },
    { roleOf: (user) => (user === "boss" ? "approver" : "user") },
  );
  const { turn } = await rig.router.submit("c", message("go"));
  const asked = (await rig.follow(turn, { until: "permission-ask" })).at(-1);
  const permission = asked?.kind === "permission-ask" ? asked.ask.id : "";
  const answer = { kind: "answer", permission, option: "no", at: 1 } as const;
  const bob = await rig.router.submit("c", { ...answer, key: "a1", user: "bob" });
  expect(bob.how).toBe("refused");
  const cancel = { kind: "cancel", key: "x", user: "bob", turn, cause: "user", at: 1 } as const;
  expect((await rig.router.submit("c", cancel)).how).toBe("refused");
  expect((await rig.router.submit("c", { ...answer, key: "a2", user: "boss" })).how).toBe("new");
  expect(textOf(await rig.follow(turn))).toBe("refused");
});

test.each([
  ["allow", "allowed"],
  ["deny", "refused"],
] as const)(
  "with policy %s nobody is asked, and the log tells the choice",
  async (policy, text) => {
    const rig = open({ prompt: [question] }, { permissionPolicy: () => policy });
    const events = await rig.run("go");
    expect(textOf(events)).toBe(text);
    expect(events.map((event) => event.kind)).toContain("permission-answer");
    expect(events.map((event) => event.kind)).not.toContain("permission-ask");
  },
);

test("a cancel answers the open question as cancelled", async () => {
  const rig = open({ prompt: [question] });
  const { turn } = await rig.router.submit("c", message("go"));
  await rig.follow(turn, { until: "permission-ask" });
  await rig.router.cancelTurn("c", turn, "user");
  const events = await rig.follow(turn);
  const answer = events.findIndex((event) => event.kind === "permission-answer");
  expect(events[answer]).toMatchObject({ end: "cancelled" });
  expect(answer).toBeLessThan(events.length - 1);
});

test("an agent that dies in a turn is said with phase and exit code; the next message works", async () => {
  const rig = open({
    prompt: [
      say("half"),
      { kind: "when", says: "die", steps: [{ kind: "exit", code: 7 }], otherwise: [say(" whole")] },
    ],
  });
  const events = await rig.run("die");
  expect(textOf(events)).toBe("half");
  expect(outcomeOf(events)).toEqual({
    kind: "agent-exited",
    phase: "prompt",
    code: 7,
    signal: null,
    ref: expect.stringMatching(/^\w{4}$/),
  });
  const next = await rig.run("live");
  expect(textOf(next)).toBe("half whole");
  expect(next.find((event) => event.kind === "session-attached")).toMatchObject({ lost: false });
  expect(rig.reports).toContainEqual(expect.objectContaining({ kind: "agent-exited", code: 7 }));
});

test("an agent without a memory gets what was said before as data, and the loss is said", async () => {
  const rig = open({
    agent: { capabilities: {} },
    prompt: [{ kind: "when", says: "die", steps: [{ kind: "exit" }], otherwise: [say("ok")] }],
  });
  await rig.run("die");
  const query = [
    { role: "user", content: "die", messageId: "1", attachments: [] },
    { role: "bot", content: "half", messageId: "2", attachments: [] },
    { role: "user", content: "next", messageId: "3", attachments: [] },
  ];
  const events = await rig.run("next", { query, key: "3" });
  expect(events.find((event) => event.kind === "session-attached")).toMatchObject({
    how: "new",
    lost: true,
  });
  expect(events.find((event) => event.kind === "notice")).toBeDefined();
  const prompt = rig.received("session/prompt").at(-1);
  expect(JSON.stringify(prompt)).toContain("half");
  expect(JSON.stringify(prompt)).toContain("as data");
});

test("an agent's error is an outcome that is fit for chat", async () => {
  const rig = open({ prompt: [{ kind: "fail", code: -32603, message: "boom at /home/x" }] });
  const outcome = outcomeOf(await rig.run("a"));
  expect(outcome).toMatchObject({ kind: "failed", phase: "prompt", code: "agent-error" });
  expect(JSON.stringify(outcome)).not.toContain("/home");
});

test("an agent's error costs one turn: the next message runs in the same session", async () => {
  const rig = open({
    prompt: [
      {
        kind: "when",
        says: "boom",
        steps: [{ kind: "fail", code: -32603, message: "boom" }],
        otherwise: [say("{{session}}")],
      },
    ],
  });
  const before = textOf(await rig.run("one"));
  expect(outcomeOf(await rig.run("boom"))).toMatchObject({ kind: "failed" });
  expect(textOf(await rig.run("two"))).toBe(before);
});

test("a session that the agent has forgotten is made anew, and the prompt sent once more", async () => {
  const rig = open({
    agent: { capabilities: {} },
    prompt: [
      {
        kind: "when",
        turn: 2,
        steps: [{ kind: "fail", code: -32002, message: "no such session" }],
        otherwise: [say("fine")],
      },
    ],
  });
  await rig.run("one");
  const events = await rig.run("two");
  expect(textOf(events)).toBe("fine");
  expect(events.find((event) => event.kind === "session-attached")).toMatchObject({ lost: true });
});

test("an agent that says -32002 after it has worked is not sent the prompt again", async () => {
  const rig = open({
    prompt: [say("pushed. "), { kind: "fail", code: -32002, message: "Resource not found" }],
  });
  const events = await rig.run("push");
  expect(textOf(events)).toBe("pushed. ");
  expect(outcomeOf(events)).toMatchObject({ kind: "failed", code: "agent-error" });
  expect(rig.received("session/prompt")).toHaveLength(1);
});

test("somebody without a name is not taken for the relay itself", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait" }] });
  const { turn } = await rig.router.submit("c", message("run"));
  await rig.follow(turn, { until: "text" });
  const cancel = { kind: "cancel", key: "x", user: "", turn, cause: "user", at: 1 } as const;
  expect((await rig.router.submit("c", cancel)).how).toBe("refused");
  await rig.router.cancelTurn("c", turn, "user");
});

test("what an agent says after its answer, and between turns, stays in the log without a turn", async () => {
  const rig = open({
    prompt: [say("in"), { kind: "answer" }, { kind: "wait", ms: 50 }, say("after")],
  });
  const events = await rig.run("a");
  expect(textOf(events)).toBe("in");
  const cursor = rig.router.log("c").follow({ after: events.at(-1)?.seq ?? 0 });
  const [late] = (await cursor.next()) ?? [];
  expect(late).toMatchObject({ kind: "text", text: "after" });
  expect(late?.turn).toBeUndefined();
  await cursor[Symbol.asyncDispose]();
});

test("a chosen model is set before the prompt and named by turn-start; an impossible one is said", async () => {
  const rig = open({
    agent: {
      models: [
        { id: "a/1", name: "One" },
        { id: "b/2", name: "Two" },
      ],
    },
    prompt: [say("{{model}}")],
  });
  const options = { ...rig.router.defaults, model: "b/2" };
  const events = await rig.run("x", { options });
  expect(textOf(events)).toBe("b/2");
  expect(events.find((event) => event.kind === "turn-start")).toMatchObject({ model: "b/2" });
  const bad = await rig.run("x", { options: { ...options, model: "none/9" } });
  expect(bad.find((event) => event.kind === "notice")).toMatchObject({ level: "warning" });
  expect(textOf(bad)).toBe("b/2");
});

test("two conversations in one exclusive workspace never run at the same time", async () => {
  const rig = open(
    { prompt: [say("in"), { kind: "wait", ms: 150 }, say("out")] },
    {
      workspaceFor: () => ({ cwd: "/tmp", roots: [], filesDir: "/tmp", exclusive: "/tmp" }),
    },
  );
  const [first, second] = await Promise.all([rig.run("a"), rig.run("b", { conversation: "d" })]);
  const span = (events: typeof first) => {
    const start = events.find((event) => event.kind === "turn-start")?.at ?? 0;
    return [start, events.at(-1)?.at ?? 0] as const;
  };
  const [a, b] = [span(first), span(second)].sort((x, y) => x[0] - y[0]);
  expect(a && b && a[1] <= b[0]).toBe(true);
  expect(second.find((event) => event.kind === "status")).toMatchObject({
    phase: "waiting-workspace",
  });
});

test("a query without a message of a person is refused, and so is the 33rd that waits", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait" }] });
  await expect(rig.router.submit("c", message("", { key: "e" }))).rejects.toMatchObject({
    code: "empty-prompt",
  });
  const { turn } = await rig.router.submit("c", message("run"));
  await rig.follow(turn, { until: "text" });
  for (let count = 0; count < 32; count++) await rig.router.submit("c", message("wait"));
  await expect(rig.router.submit("c", message("one more"))).rejects.toBeInstanceOf(RouterError);
});

const plain: MarkupRenderer<string> = {
  render: (view) => ({
    parts: Array.from(view.segments, (one) =>
      one.kind === "text" ? one.text : one.kind === "question" ? `[${one.ask.subject}]` : "",
    ),
  }),
  say: (_, text) => text,
};

function recordingSink(): ChunkSink & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    text: (text) => void calls.push(`text ${text}`),
    replace: (text) => void calls.push(`replace ${text}`),
    error: (text) => void calls.push(`error ${text}`),
    done: () => void calls.push("done"),
    firstChunk: () => void calls.push("first"),
    setProviderEmoji: (emoji) => void calls.push(`emoji ${emoji}`),
    setStatus: (mood, plan) => void calls.push(`status ${mood} ${plan}`),
  };
}

const request = (rig: AgentRig, content: string) => ({
  conversation: "c",
  user: "ana",
  query: message(content).query,
  options: rig.router.defaults,
  renderer: plain,
});

test("prompt() shows a turn on a sink: emoji before text, first chunk once, done once and last", async () => {
  const rig = open({
    agent: { models: [{ id: "anthropic/claude", name: "Claude" }] },
    prompt: [
      { kind: "thought", text: "hm" },
      { kind: "status", mood: "calm", plan: "1/2" },
      say("a"),
      { kind: "wait", ms: 20 },
      say("b"),
    ],
  });
  const sink = recordingSink();
  await rig.router.prompt(request(rig, "x"), sink);
  const { calls } = sink;
  expect(calls[0]).toMatch(/^emoji ./);
  expect(calls.filter((call) => call === "first")).toHaveLength(1);
  expect(calls.indexOf("first")).toBeLessThan(calls.findIndex((call) => call.startsWith("text")));
  expect(calls).toContain("status calm 1/2");
  expect(calls.filter((call) => call.startsWith("text")).join("")).toBe("text atext b");
  expect(calls.filter((call) => call === "done")).toHaveLength(1);
  expect(calls.at(-1)).toBe("done");
});

test("prompt() ends the sink's part at a question, as text; a failure is an error, then done", async () => {
  const asking = open({ prompt: [question] });
  const sink = recordingSink();
  await asking.router.prompt(request(asking, "x"), sink);
  expect(sink.calls.slice(-2)).toEqual(["text [ls]", "done"]);
  expect(asking.router.running("c")?.asks).toHaveLength(1);

  const failing = open({ prompt: [{ kind: "exit", code: 3 }] });
  const failed = recordingSink();
  await failing.router.prompt(request(failing, "x"), failed);
  expect(failed.calls.slice(-2)).toEqual([
    expect.stringMatching(/^error The agent has stopped unexpectedly\. \(ref \w{4}\)$/),
    "done",
  ]);
});

test("an aborted prompt() cancels the turn; a sink that throws only detaches", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait", ms: 100 }, say("b")] });
  const throwing = recordingSink();
  throwing.text = () => {
    throw new Error("gone");
  };
  await expect(rig.router.prompt(request(rig, "x"), throwing)).rejects.toThrow("gone");
  const turn = rig.router.running("c")?.turn ?? "";
  expect(textOf(await rig.follow(turn))).toBe("ab");

  const aborting = new AbortController();
  const sink = recordingSink();
  sink.firstChunk = () => aborting.abort();
  await rig.router.prompt(request(rig, "y"), sink, aborting.signal);
  expect(rig.received("session/cancel")).toHaveLength(1);
  expect(sink.calls.at(-1)).toBe("done");
});

test("debug() names each session under the seed's keys, sorted by conversation", async () => {
  const rig = open({ prompt: [say("a")] });
  await rig.run("x", { conversation: "b" });
  await rig.run("x", { conversation: "a" });
  const infos = await rig.router.debug();
  expect(infos.map((info) => info.conv_id)).toEqual(["a", "b"]);
  expect(Object.keys(infos[0] ?? {})).toEqual([
    "conv_id",
    "user_id",
    "session_id",
    "cwd",
    "last_used",
  ]);
});

test("conversation ids from outside name directories of their own under the state directory", async () => {
  const rig = open({ prompt: [say("{{cwd}}")] });
  const cwds = [];
  for (const conversation of ["../../etc", "..", "a/b", "a-b", ""]) {
    cwds.push(textOf(await rig.run("x", { conversation })));
  }
  for (const cwd of cwds) expect(cwd).toMatch(new RegExp(`^${rig.directory}/convs/[\\w-]+$`));
  expect(new Set(cwds).size).toBe(cwds.length);
});

test("idle sessions are let go, and found again by the next prompt", async () => {
  let now = Date.now();
  const rig = open({ prompt: [say("{{session}}")] }, { now: () => now, sessionTtlMs: 1_000 });
  const before = textOf(await rig.run("x"));
  now += 2_000;
  using _ = rig.router.runGc(5);
  await expect.poll(() => rig.router.size, { interval: 5 }).toBe(0);
  const events = await rig.run("y");
  expect(textOf(events)).toBe(before);
});

test.each([
  ["session/close", undefined],
  ["session/release", { loadSession: true }],
])(
  "a session that is let go is closed at an agent that offers it, else released: %s",
  async (method, capabilities) => {
    const rig = open({ agent: { capabilities }, prompt: [say("a")] });
    await rig.run("x");
    await rig.router.submit("c", { kind: "reset", key: "r", user: "ana", at: 1 });
    await expect.poll(() => rig.received(method).length, { interval: 20 }).toBe(1);
  },
);

test("closing the router ends what runs as cancelled by shutdown, and refuses what comes", async () => {
  const rig = open({ prompt: [say("a"), { kind: "wait" }] });
  const { turn } = await rig.router.submit("c", message("run"));
  await rig.follow(turn, { until: "text" });
  const waiting = await rig.router.submit("c", message("wait"));
  await rig.router[Symbol.asyncDispose]();
  const events = await rig.store.read("c", 0, 100);
  const ends = events.filter((event) => event.kind === "turn-end");
  expect(ends.map((event) => event.turn).sort()).toEqual([turn, waiting.turn].sort());
  for (const end of ends) expect(end).toMatchObject({ outcome: { cause: "shutdown" } });
  await expect(rig.router.submit("c", message("late"))).rejects.toMatchObject({ code: "closed" });
});
