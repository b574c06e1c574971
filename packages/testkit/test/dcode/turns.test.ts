import { isKnownEvent } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import type { DcodeScript, DcodeStep, FakeDcodeOptions } from "../../src/index.ts";
import { payloads, refusal, rig, turn, types, until } from "./drive.ts";

const ask = { boundary: "filesystem_write", command: "touch /x" };
const asking = (call: object = {}): DcodeStep => ({
  kind: "tools",
  calls: [{ name: "bash", input: { command: "touch /x" }, ask, ...call }],
});

test("the demo turn thinks, plans, reads, asks when told so, and answers", async () => {
  await using target = await rig();
  const { client, id } = target;
  const plain = await turn(target, "hello");
  expect([...new Set(types(plain))]).toEqual([
    "turn.started",
    "message.reasoning",
    "plan.updated",
    "tool.requested",
    "progress",
    "tool.completed",
    "message.delta",
    "turn.completed",
  ]);
  expect(
    payloads(plain, "message.delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe("You said: hello. Done.");
  expect(payloads(plain, "turn.completed")).toEqual([
    {
      turn_id: "t1",
      reason: "done",
      usage: { input_tokens: 12_400, output_tokens: 310, context_tokens: 6_200 },
    },
  ]);

  const { last_seq: last } = await client.getSession(id);
  await client.submitTurn(id, { text: "please ask" });
  const [approval] = payloads(
    await until(target, "tool.approval_required", last + 1),
    "tool.approval_required",
  );
  expect(approval).toMatchObject({
    approval_id: "t2-0",
    boundary_crossed: "network",
    command: "npm install",
  });
  expect((await client.getSession(id)).state).toBe("blocked");
  await client.resolveApproval(id, "t2-0", "allow");
  const asked = await until(target, "turn.completed", last + 1);
  expect(payloads(asked, "tool.approval_resolved")).toEqual([
    { approval_id: "t2-0", decision: "allow" },
  ]);
  expect(payloads(asked, "tool.completed").at(-1)).toMatchObject({
    has_exit: true,
    output: "added 1 package\n",
  });
});

test("a batch is announced whole before it runs, and completes in the order that the script says", async () => {
  const calls = [
    { name: "write", argumentBytes: 600 },
    { name: "grep", files: { seen: 30, total: 40 } },
  ];
  await using target = await rig({ script: [{ kind: "tools", calls, finish: [1, 0] }] });
  const events = await turn(target, "go");
  const story = events.flatMap((event) => {
    if (event.type === "progress") return [`${event.payload.kind} ${event.payload.done}`];
    if (event.type === "tool.requested") return [`request ${event.payload.name}`];
    if (event.type === "tool.completed") return [`complete ${event.payload.tool_call_id}`];
    return [];
  });
  expect(story).toEqual([
    "arguments 0",
    "arguments 512",
    "request write",
    "request grep",
    "in_flight 2",
    "files 1",
    "files 25",
    "complete call_1",
    "complete call_0",
  ]);
});

describe("races", () => {
  test("a turn that completed leaves its session busy for as many looks as told", async () => {
    await using target = await rig({ script: [], idleLag: 2 });
    const { client, id } = target;
    await client.submitTurn(id, { text: "one" });
    await until(target, "turn.completed");
    expect(await refusal(client.submitTurn(id, { text: "two" }))).toMatchObject({
      code: "turn_already_active",
    });
    expect((await client.getSession(id)).state).toBe("running");
    expect((await client.getSession(id)).state).toBe("idle");
    await client.submitTurn(id, { text: "two" });
  });

  test("a client that settles gets through it", async () => {
    await using target = await rig({ script: [], idleLag: 3 });
    expect(payloads(await turn(target, "one"), "turn.started")[0]?.text).toBe("one");
    expect(payloads(await turn(target, "two"), "turn.started")[0]?.text).toBe("two");
  });

  test("an answer before registration is refused, and changes nothing; settling gets through", async () => {
    await using target = await rig({ script: [asking()], approvalLag: 2 });
    const { client, id } = target;
    await client.submitTurn(id, { text: "go" });
    await until(target, "tool.approval_required");
    expect(await refusal(client.resolveApproval(id, "t1-0", "allow"))).toMatchObject({
      code: "approval_already_resolved",
    });
    expect((await client.getSession(id)).state).toBe("blocked");
    await client.resolveApproval(id, "t1-0", "allow", { settleMs: 5_000 });
    const events = await until(target, "turn.completed");
    expect(payloads(events, "tool.approval_resolved")).toEqual([
      { approval_id: "t1-0", decision: "allow" },
    ]);
  });

  test("the first of two answers counts", async () => {
    await using target = await rig({ script: [asking()] });
    const { client, id } = target;
    await client.submitTurn(id, { text: "go" });
    await until(target, "tool.approval_required");
    const answers = await Promise.allSettled([
      client.resolveApproval(id, "t1-0", "deny"),
      client.resolveApproval(id, "t1-0", "allow"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

test("T14: turn ids count on with typed commands, and a resumed session begins again", async () => {
  await using target = await rig({ script: [] });
  const { client, id } = target;
  await turn(target, "one");
  await client.exec(id, "ls");
  const second = await turn(target, "two");
  expect(payloads(second, "turn.started")[0]?.turn_id).toBe("t3");
  expect(payloads(await until(target, "tool.requested"), "tool.requested")[0]).toMatchObject({
    turn_id: "x2",
    tool_call_id: "x2-1",
    typed: true,
  });
  const resumed = await client.createSession({ workspace: target.session.workspace, resume: id });
  const again = await turn({ client, id: resumed.id }, "three");
  expect(payloads(again, "turn.started")[0]?.turn_id).toBe("t1");
});

test("T15: two batches of a turn use one approval id; one that has lapsed answers for the next", async () => {
  await using target = await rig({
    script: [asking(), asking()],
    approvalTimeoutMs: 40,
    approvalLag: 1,
  });
  const { client, id } = target;
  await client.submitTurn(id, { text: "go" });
  const first = await until(target, "tool.approval_resolved");
  const next = (first.at(-1)?.seq ?? 0) + 1;
  const second = await until(target, "tool.approval_required", next);
  expect(payloads(second, "tool.approval_required")[0]?.approval_id).toBe("t1-0");
  expect(await refusal(client.resolveApproval(id, "t1-0", "allow"))).toMatchObject({
    code: "approval_expired",
  });
});

test("T16: call ids come again in every batch, unless the script chooses them", async () => {
  const batch: DcodeStep = {
    kind: "tools",
    calls: [{ name: "read" }, { id: "own", name: "read" }],
  };
  await using target = await rig({ script: [batch, batch] });
  const ids = payloads(await turn(target, "go"), "tool.requested").map((each) => each.tool_call_id);
  expect(ids).toEqual(["call_0", "own", "call_0", "own"]);
});

describe("T17: no tool.completed follows", () => {
  test("a denial", async () => {
    await using target = await rig({ script: [asking(), { kind: "say", text: "Then not." }] });
    const { client, id } = target;
    await client.submitTurn(id, { text: "go" });
    await until(target, "tool.approval_required");
    await client.resolveApproval(id, "t1-0", "deny");
    const events = await until(target, "turn.completed");
    expect(types(events)).not.toContain("tool.completed");
    expect(payloads(events, "turn.completed")[0]?.reason).toBe("done");
  });

  test("a call that the script lets run into nothing", async () => {
    await using target = await rig({
      script: [{ kind: "tools", calls: [{ name: "gone", result: "none" }] }],
    });
    expect(types(await turn(target, "go"))).not.toContain("tool.completed");
  });
});

describe("T18: the deadline of an approval", () => {
  test.each([
    ["0.20", "0001-01-01T00:00:00Z"],
    ["later", expect.stringMatching(/^20\d\d-.*-03:00$/) as string],
  ] as const)(
    "of a daemon of era %s is written as %s, and passes all the same",
    async (era, expiresAt) => {
      await using target = await rig({ script: [asking()], approvalTimeoutMs: 30, era });
      await target.client.submitTurn(target.id, { text: "go" });
      const events = await until(target, "turn.completed");
      expect(payloads(events, "tool.approval_required")[0]?.expires_at).toEqual(expiresAt);
      expect(payloads(events, "tool.approval_resolved")).toEqual([
        { approval_id: "t1-0", decision: "deny" },
      ]);
    },
  );
});

test("T24: a command that fails is ok, and its output begins with its exit status", async () => {
  await using target = await rig({ exec: async () => ({ output: "no such file\n", exit: 2 }) });
  await target.client.exec(target.id, "cat x");
  expect(payloads(await until(target, "tool.completed"), "tool.completed")[0]).toMatchObject({
    ok: true,
    has_exit: true,
    exit_code: 2,
    output: "exit 2\nno such file\n",
  });
});

describe("approvals are remembered", () => {
  /** Runs a turn and answers its approvals with these, in order; gives how often it had to wait. */
  async function waits(
    script: DcodeScript,
    answers: ("allow" | "allow_session" | "deny")[],
  ): Promise<number> {
    await using target = await rig({ script });
    const { client, id } = target;
    await client.submitTurn(id, { text: "go" });
    let waited = 0;
    for await (const event of client.events(id)) {
      if (!isKnownEvent(event) || event.type === "turn.completed") break;
      if (event.type !== "tool.approval_required") continue;
      if ((await client.getSession(id)).state !== "blocked") continue;
      waited += 1;
      await client.resolveApproval(id, event.payload.approval_id, answers.shift() ?? "deny");
    }
    return waited;
  }
  const rule = { ask: { boundary: "rule:command", command: "rm -rf a", rule: "rm *" } };
  const otherCommand = { ask: { ...rule.ask, command: "rm -rf b" } };
  const network = { ask: { boundary: "network", command: "curl a" } };
  const otherHost = { ask: { boundary: "network", command: "curl b" } };

  test.each<[string, DcodeStep[], ("allow" | "allow_session" | "deny")[], number]>([
    ["for the session, by the exact command", [asking(), asking()], ["allow_session"], 1],
    [
      "for the session, by the rule that asked",
      [asking(rule), asking(otherCommand)],
      ["allow_session"],
      1,
    ],
    ["not when they were given once", [asking(), asking()], ["allow", "allow"], 2],
    ["not when they were denied", [asking(), asking()], ["deny", "deny"], 2],
    ["for the network by any grant", [asking(network), asking(otherHost)], ["allow"], 1],
  ])("%s", async (_name, steps, answers, expected) => {
    expect(await waits(steps, answers)).toBe(expected);
  });
});

describe("a turn can be", () => {
  const waiting: DcodeStep[] = [
    { kind: "wait", gate: "go" },
    { kind: "say", text: "on" },
  ];

  test("held at a gate until the test opens it", async () => {
    await using target = await rig({ script: waiting });
    await target.client.submitTurn(target.id, { text: "x" });
    await until(target, "turn.started");
    expect((await target.client.getSession(target.id)).state).toBe("running");
    target.daemon.open("go");
    expect(types(await until(target, "turn.completed")).slice(-2)).toEqual([
      "message.delta",
      "turn.completed",
    ]);
  });

  test("steered between two steps, but not while it is blocked", async () => {
    await using target = await rig({ script: [...waiting, asking()] });
    const { client, id } = target;
    await client.submitTurn(id, { text: "x" });
    await client.steer(id, "the other file");
    target.daemon.open("go");
    const events = await until(target, "tool.approval_required");
    expect(types(events).slice(1, 4)).toEqual(["turn.started", "turn.steered", "message.delta"]);
    expect(await refusal(client.steer(id, "again"))).toMatchObject({ code: "no_active_turn" });
  });

  test("steered too late, and then says so behind its end", async () => {
    await using target = await rig({ script: [{ kind: "wait", gate: "go" }] });
    const { client, id, daemon } = target;
    await client.submitTurn(id, { text: "x" });
    await client.steer(id, "wait");
    daemon.open("go");
    const events = await until(target, "session.error");
    expect(types(events).slice(-2)).toEqual(["turn.completed", "session.error"]);
    expect(payloads(events, "session.error")[0]?.code).toBe("no_active_turn");
  });

  test.each<[string, DcodeStep[], string[]]>([
    ["while it waits", waiting, ["turn.started", "turn.completed"]],
    ["while it pauses", [{ kind: "pause", ms: 60_000 }], ["turn.started", "turn.completed"]],
    [
      "while it is blocked, which denies",
      [asking()],
      [
        "turn.started",
        "tool.requested",
        "progress",
        "tool.approval_required",
        "tool.approval_resolved",
        "turn.completed",
      ],
    ],
  ])("interrupted %s", async (_name, script, story) => {
    await using target = await rig({ script });
    const { client, id } = target;
    await client.submitTurn(id, { text: "x" });
    await until(
      target,
      story.includes("tool.approval_required") ? "tool.approval_required" : "turn.started",
    );
    await Promise.all([client.interrupt(id), client.interrupt(id), client.interrupt(id)]);
    const events = await until(target, "turn.completed");
    expect(types(events).slice(1)).toEqual(story);
    expect(payloads(events, "turn.completed")[0]?.reason).toBe("interrupted");
  });

  test("failed by its provider", async () => {
    await using target = await rig({
      script: [{ kind: "end", error: { code: "rate_limit", message: "later" } }],
    });
    const events = await turn(target, "x");
    expect(types(events)).toEqual(["turn.started", "session.error", "turn.completed"]);
    expect(payloads(events, "turn.completed")[0]?.reason).toBe("error");
  });

  test("one only at a time, also for typed commands", async () => {
    await using target = await rig({ script: waiting });
    const { client, id } = target;
    await client.submitTurn(id, { text: "x" });
    const busy = { code: "turn_already_active" };
    expect(await refusal(client.submitTurn(id, { text: "y" }))).toMatchObject(busy);
    expect(await refusal(client.exec(id, "ls"))).toMatchObject(busy);
    expect(await refusal(client.undo(id))).toMatchObject(busy);
  });

  test("undone while it is blocked, though not while it runs", async () => {
    await using target = await rig({
      script: [asking()],
      undo: { restored: ["/a"], refused: null },
    });
    await target.client.submitTurn(target.id, { text: "x" });
    await until(target, "tool.approval_required");
    expect(await target.client.undo(target.id)).toEqual({ restored: ["/a"], refused: [] });
  });
});

test("a script sees its text, its pictures, what was answered and what was steered", async () => {
  const seen: unknown[] = [];
  const script: FakeDcodeOptions["script"] = function* (given) {
    yield asking();
    yield { kind: "wait", gate: "go" };
    yield { kind: "say", text: "" };
    seen.push(structuredClone(given));
  };
  await using target = await rig({ script });
  const { client, id, daemon } = target;
  await client.submitTurn(id, { text: "look", images: [{ media_type: "image/png", data: "" }] });
  await until(target, "tool.approval_required");
  await client.resolveApproval(id, "t1-0", "allow");
  await until(target, "tool.completed");
  await client.steer(id, "left");
  daemon.open("go");
  await until(target, "turn.completed");
  expect(seen).toEqual([
    {
      session: id,
      id: "t1",
      text: "look",
      images: ["image/png"],
      number: 1,
      decisions: ["allow"],
      steers: ["left"],
    },
  ]);
});

test("a command is cancelled by closing its request, and by nothing else", async () => {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const exec: FakeDcodeOptions["exec"] = async (_command, signal) => {
    started.resolve();
    signal.addEventListener("abort", () => cancelled.resolve());
    await cancelled.promise;
    return { output: "" };
  };
  await using target = await rig({ exec });
  const { client, id } = target;
  const stop = new AbortController();
  const running = refusal(client.exec(id, "sleep 60", { signal: stop.signal }));
  await started.promise;
  await client.interrupt(id);
  expect(
    await Promise.race([
      cancelled.promise.then(() => "cancelled"),
      client.health().then(() => "running"),
    ]),
  ).toBe("running");
  stop.abort();
  await cancelled.promise;
  expect(await running).toMatchObject({ code: "aborted" });
});

test("switching the mode is announced with what was before, and not announced when nothing changes", async () => {
  await using target = await rig();
  const { client, id } = target;
  await client.setMode(id, "assist");
  await client.setMode(id, "auto");
  const events = await until(target, "session.mode_changed");
  expect(payloads(events, "session.mode_changed")).toEqual([
    { previous: "assist", mode: "auto", sandbox_mode: "full-access" },
  ]);
  expect(events.at(-1)?.seq).toBe(2);
});

test("a script that throws ends its turn, and fails the test when the daemon is disposed", async () => {
  const target = await rig({
    script: () => {
      throw new RangeError("mine");
    },
  });
  expect(payloads(await turn(target, "x"), "turn.completed")[0]?.reason).toBe("error");
  expect(await refusal(target.daemon[Symbol.asyncDispose]())).toBeInstanceOf(RangeError);
});
