import { DcodeClient } from "@acp-kit/dcode-client";
import { parseMeta } from "@acp-kit/statusline";
import { type DcodeStep, waitFor } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { choose, Listener, Rig, refusal, SOON_MS, text } from "./rig.ts";

describe("a turn", () => {
  test("streams thoughts, plan, cards and text, and tells usage, mood and rounds", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    const setup = await agent.newSession(rig.cwd, listener);
    expect(setup.modes?.currentModeId).toBe("assist");
    const { sessionId } = setup;
    const result = await agent.prompt(sessionId, text("hello"));
    expect(result).toMatchObject({
      stopReason: "end_turn",
      _meta: { "dev.acp-kit.dcode/v1": { reason: "done", usage: { input_tokens: 12_400 } } },
    });
    expect(listener.said()).toBe("You said: hello. Done.");
    expect(listener.said("agent_thought_chunk")).toBe("Let me look at the file first.");
    expect(listener.said("user_message_chunk")).toBe("");
    expect(listener.of("plan")).toHaveLength(4);
    expect(listener.of("usage_update")).toEqual([
      { sessionUpdate: "usage_update", used: 6_200, size: 200_000 },
    ]);
    expect(listener.cards).toMatchObject([
      { title: "read README.md", kind: "read", status: "completed" },
      { title: "grep TODO", kind: "search", status: "completed" },
    ]);
    const titles = listener.of("tool_call_update").map(({ title }) => title);
    expect(titles).toContain("grep TODO (50/184)");
    const status = listener.updates.map(({ _meta }) => parseMeta(_meta)).filter(({ ok }) => ok);
    expect(status.map(({ mood, plan }) => `${mood} ${plan}`.trim())).toEqual([
      "working",
      "thinking",
      "working",
      "working 1/50",
      "writing 1/50",
      "",
    ]);
  });

  test("asks what the daemon asks, and answers with the decision that was chosen", async () => {
    await using rig = await Rig.start({ approvalLag: 3 });
    const agent = await rig.agent();
    const listener = new Listener();
    listener.answer = choose("allow_project");
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    await agent.prompt(sessionId, text("ask please"));
    const [ask] = listener.asks;
    expect(ask?.request.options.map(({ optionId, kind }) => `${optionId} ${kind}`)).toEqual([
      "allow allow_once",
      "allow_session allow_always",
      "allow_project allow_always",
      "allow_always allow_always",
      "deny reject_once",
    ]);
    expect(ask?.request.toolCall).toMatchObject({
      toolCallId: listener.cards[2]?.["toolCallId"],
      title: "npm install",
      rawInput: { command: "npm install" },
    });
    expect(JSON.stringify(ask?.request.toolCall)).toContain("Reason: installs packages");
    expect(listener.cards[2]).toMatchObject({ kind: "execute", status: "completed" });
    expect(rig.daemon.requests.filter(({ path }) => path.includes("approvals")).at(-1)?.body).toBe(
      '{"decision":"allow_project"}',
    );
  });

  test("a question that lapses at the daemon is withdrawn, and its card is closed", async () => {
    await using rig = await Rig.start({ approvalTimeoutMs: 300 });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const { stopReason } = await agent.prompt(sessionId, text("ask please"));
    expect(stopReason).toBe("end_turn");
    expect(listener.asks.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(listener.cards[2]).toMatchObject({ status: "failed" });
  });

  test("a cancel is sent once the daemon has taken the prompt, and the answer is cancelled", async () => {
    await using rig = await Rig.start({
      script: [
        { kind: "say", text: "begun" },
        { kind: "wait", gate: "never" },
      ],
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("go"));
    await agent.cancel(sessionId);
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await waitFor("the session to be idle", () => rig.daemon.sessions[0]?.state === "idle");
    const again = agent.prompt(sessionId, text("go"));
    await listener.until("the second turn", (heard) => heard.said().includes("begun"));
    await agent.cancel(sessionId);
    expect(await again).toMatchObject({ stopReason: "cancelled" });
  });

  test("an error of the provider is the prompt's error, and the next prompt works", async () => {
    await using rig = await Rig.start({
      script: ({ number }): DcodeStep[] =>
        number === 1
          ? [{ kind: "end", error: { code: "auth", message: "no key" } }]
          : [{ kind: "say", text: "fine" }],
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    expect(await refusal(agent.prompt(sessionId, text("go")))).toMatchObject({
      code: -32000,
      message: "no key",
      data: { code: "auth" },
    });
    expect(await agent.prompt(sessionId, text("go"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("\n\n[error] no keyfine");
  });

  test("waits behind a turn of another client, which it shows", async () => {
    await using rig = await Rig.start({
      script: ({ text }): DcodeStep[] =>
        text === "theirs"
          ? [
              { kind: "say", text: "[theirs]" },
              { kind: "wait", gate: "go" },
            ]
          : [{ kind: "say", text: "[ours]" }],
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const other = new DcodeClient({ socketPath: rig.daemon.socketPath });
    await other.submitTurn(rig.daemon.sessions[0]?.id ?? "", { text: "theirs" });
    await listener.until("their text", (heard) => heard.said().includes("[theirs]"));
    expect(listener.said("user_message_chunk")).toBe("theirs");
    const prompt = agent.prompt(sessionId, text("mine"));
    await waitFor(
      "a refused turn",
      () => rig.daemon.requests.filter(({ path }) => path.endsWith("/turns")).length > 1,
      SOON_MS,
    );
    rig.daemon.open("go");
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("[theirs][ours]");
    expect(listener.said("user_message_chunk")).toBe("theirs");
  });

  test("a prompt that waits behind a turn is cancelled at once, also while it is refused", async () => {
    await using rig = await Rig.start({ script: [{ kind: "wait", gate: "never" }] });
    const agent = await rig.agent();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    const other = new DcodeClient({ socketPath: rig.daemon.socketPath });
    await other.submitTurn(rig.daemon.sessions[0]?.id ?? "", { text: "theirs" });
    const turns = () => rig.daemon.requests.filter(({ path }) => path.endsWith("/turns")).length;
    for (const seen of [1, 2]) {
      const prompt = agent.prompt(sessionId, text("mine"));
      await waitFor("a refused turn", () => turns() > seen, SOON_MS);
      await agent.cancel(sessionId);
      expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    }
    expect(rig.daemon.sessions[0]?.state).toBe("running");
  });

  test("a turn that waits for an approval is asked about by the prompt that waits behind it", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    listener.answer = choose("allow");
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const other = new DcodeClient({ socketPath: rig.daemon.socketPath });
    await other.submitTurn(rig.daemon.sessions[0]?.id ?? "", { text: "ask theirs" });
    await waitFor("the question", () => rig.daemon.sessions[0]?.state === "blocked");
    expect(listener.asks).toEqual([]);
    expect(await agent.prompt(sessionId, text("mine"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.asks).toHaveLength(1);
    expect(listener.said()).toBe("You said: ask theirs. Done.You said: mine. Done.");
  });

  test("a prompt whose acknowledgement is lost is answered by its turn, which was sent once", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    rig.daemon.failNext("POST turns", { kind: "lose-answer" });
    expect(await agent.prompt(sessionId, text("once"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("You said: once. Done.");
    expect(rig.daemon.requests.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(1);
  });

  test("pictures are passed, sound and broken pictures are refused", async () => {
    let images: readonly string[] = [];
    await using rig = await Rig.start({
      script: (turn) => {
        images = turn.images;
        return [];
      },
    });
    const agent = await rig.agent();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    const picture = (data: string) => ({ type: "image" as const, data, mimeType: "image/png" });
    await agent.prompt(sessionId, [...text("look"), picture("AAAA")]);
    expect(images).toEqual(["image/png"]);
    expect(await refusal(agent.prompt(sessionId, [picture("A_-A")]))).toMatchObject({
      code: -32602,
    });
    const sound = { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" };
    expect(await refusal(agent.prompt(sessionId, [sound]))).toMatchObject({ code: -32602 });
  });
});

describe("modes", () => {
  test("are set by both ways, told when another client switches, and refused when unknown", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    await agent.setMode(sessionId, "plan");
    expect(rig.daemon.sessions[0]?.mode).toBe("plan");
    await agent.setConfigOption(sessionId, "mode", "auto");
    expect(rig.daemon.sessions[0]?.mode).toBe("auto");
    const other = new DcodeClient({ socketPath: rig.daemon.socketPath });
    await other.setMode(rig.daemon.sessions[0]?.id ?? "", "assist");
    const told = () => listener.of("current_mode_update").map((each) => each["currentModeId"]);
    await listener.until("all three", () => told().length === 3);
    expect(told()).toEqual(["plan", "auto", "assist"]);
    expect(await refusal(agent.setMode(sessionId, "yolo"))).toMatchObject({ code: -32602 });
  });
});

describe("sessions", () => {
  test("are listed, closed at the daemon, and brought back from its record with a warning", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    await agent.prompt(sessionId, text("hello"));
    expect(await agent.listSessions(rig.cwd)).toMatchObject([{ sessionId, title: "hello" }]);
    await agent.closeSession(sessionId);
    expect(rig.daemon.sessions).toEqual([]);

    const loaded = new Listener();
    await agent.loadSession(rig.cwd, sessionId, loaded);
    expect(loaded.said("user_message_chunk")).toBe("hello");
    expect(loaded.said()).toContain("You said: hello. Done.");
    expect(loaded.cards.map(({ status }) => status)).toEqual(["completed", "completed"]);
    await loaded.until("the warning", (heard) => heard.said().includes("brought back"));
    await agent.prompt(sessionId, text("again"));
    expect(loaded.said()).toContain("You said: again. Done.");
    expect(await agent.listSessions(rig.cwd)).toHaveLength(1);
  });

  test("stay with the daemon when the agent ends, and are resumed by the next one without a replay", async () => {
    await using rig = await Rig.start();
    const first = await rig.agent();
    const { sessionId } = await first.newSession(rig.cwd, new Listener());
    await first.prompt(sessionId, text("hello"));
    await first[Symbol.asyncDispose]();
    expect(rig.daemon.sessions).toHaveLength(1);
    const second = await rig.agent();
    const listener = new Listener();
    await second.resumeSession(rig.cwd, sessionId, listener);
    await second.prompt(sessionId, text("more"));
    expect(listener.said()).toBe("You said: more. Done.");
    expect(rig.daemon.sessions).toHaveLength(1);
  });

  test("T13: a session of another client is listed and loaded by the daemon's own id", async () => {
    await using rig = await Rig.start();
    const other = new DcodeClient({ socketPath: rig.daemon.socketPath });
    const { id } = await other.createSession({ workspace: rig.cwd });
    await other.submitTurn(id, { text: "theirs" });
    await waitFor("the turn", () => rig.daemon.sessions[0]?.state === "idle");
    const agent = await rig.agent();
    expect(await agent.listSessions(rig.cwd)).toEqual([{ sessionId: id, cwd: rig.cwd }]);
    const listener = new Listener();
    await agent.loadSession(rig.cwd, id, listener);
    expect(listener.said()).toBe("You said: theirs. Done.");
  });

  test("an unknown one, and one without a workspace, are refused by the table", async () => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    expect(
      await refusal(agent.resumeSession(rig.cwd, "0123456789abcdef012", new Listener())),
    ).toMatchObject({ code: -32002 });
    expect(await refusal(agent.newSession("/nowhere/at/all", new Listener()))).toMatchObject({
      code: -32602,
      data: { code: "workspace_invalid" },
    });
  });
});

test("MCP servers that a client brings are said to be left out, but for the tools that a relay offers by itself", async () => {
  await using rig = await Rig.start();
  const agent = await rig.agent({ clientCapabilities: { session: { notices: {} } } });
  const remarks = async (name: string) => {
    const mcpServers = [{ name, command: "x", args: [], env: [] }];
    const listener = Object.assign(new Listener(), { mcpServers });
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    await agent.prompt(sessionId, text("hello"));
    return listener.of("notice").map(({ title }) => title);
  };
  expect(await remarks("acp-kit")).toEqual([]);
  expect(await remarks("other")).toEqual([expect.stringContaining("no MCP servers")]);
});
