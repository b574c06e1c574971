import { fileURLToPath } from "node:url";
import type { PermissionOutcome } from "@acp-kit/acp-wire";
import { type DcodeStep, waitFor } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { Listener, NODE, Rig, refusal, text } from "./rig.ts";

describe("a daemon that is lost", () => {
  const waiting: DcodeStep[] = [
    { kind: "tools", calls: [{ name: "bash", input: { command: "make" } }] },
    { kind: "say", text: "half" },
    { kind: "wait", gate: "go" },
  ];

  test("fails the prompt without inviting to repeat it, closes its cards, and the next one goes on", async () => {
    await using rig = await Rig.start({
      script: ({ text }): DcodeStep[] => (text === "first" ? waiting : [{ kind: "say", text }]),
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    await agent.setMode(sessionId, "auto");
    const prompt = refusal(agent.prompt(sessionId, text("first")));
    await listener.until("the half", (heard) => heard.said().includes("half"));
    await rig.daemon.kill();
    await rig.daemon.start();
    expect(await prompt).toMatchObject({
      code: -32603,
      message: expect.stringContaining("brings the conversation back"),
      data: { code: "session_not_found" },
    });
    expect(await agent.prompt(sessionId, text("second"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(/half.*lost this session.*brought back.*second$/s);
    expect(rig.daemon.sessions).toMatchObject([{ mode: "auto" }]);
  });

  test("by a cut of the stream only is not noticed", async () => {
    await using rig = await Rig.start({ script: waiting });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("first"));
    await listener.until("the half", (heard) => heard.said().includes("half"));
    rig.daemon.breakStreams();
    rig.daemon.open("go");
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("half");
  });

  test("events that were dropped while we were away are said to be missing, and the prompt is answered", async () => {
    await using rig = await Rig.start({
      retention: 5,
      script: ({ text }): DcodeStep[] =>
        text === "first"
          ? [
              { kind: "tools", calls: [{ name: "bash", result: "none" }] },
              { kind: "say", text: "begun" },
              { kind: "wait", gate: "go" },
              ...Array.from(
                { length: 40 },
                (_, at): DcodeStep => ({ kind: "say", text: `${at} ` }),
              ),
            ]
          : [],
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("first"));
    await listener.until("the begin", (heard) => heard.said().includes("begun"));
    rig.daemon.failNext("GET events", { kind: "break" }, 2);
    rig.daemon.breakStreams();
    rig.daemon.open("go");
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(/begun.*dropped events.*38 39 $/s);
    expect(listener.cards).toMatchObject([{ status: "failed" }]);
  });

  test("when there is none, one sentence says so, and it may come later", async () => {
    await using rig = await Rig.start();
    await rig.daemon.stop();
    const agent = await rig.agent();
    expect(await refusal(agent.newSession(rig.cwd, new Listener()))).toMatchObject({
      code: -32603,
      message: expect.stringMatching(
        /^No dcode daemon listens at \S+; start one with `dcode serve`/,
      ),
    });
    await rig.daemon.start();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    expect(await agent.prompt(sessionId, text("hi"))).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("a daemon that is out of reach for a while, and goes on", () => {
  const impatient = fileURLToPath(new URL("impatient-agent.ts", import.meta.url));
  const halves = ({ text }: { text: string }): DcodeStep[] =>
    text === "first"
      ? [
          { kind: "say", text: "half" },
          { kind: "wait", gate: "go" },
          { kind: "say", text: " rest" },
        ]
      : [{ kind: "say", text: " second" }];

  test("is not missed when it is back in time", async () => {
    await using rig = await Rig.start({ script: halves });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("first"));
    await listener.until("the half", (heard) => heard.said() === "half");
    await rig.daemon.hide();
    rig.daemon.open("go");
    await waitFor("the end of the turn", () => rig.daemon.sessions[0]?.state === "idle");
    await rig.daemon.show();
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("half rest");
  });

  test("for longer than it is waited for fails the prompt, which is told to run on; the next one hears its rest", async () => {
    await using rig = await Rig.start({ script: halves });
    const command = [...NODE, impatient, rig.daemon.socketPath, rig.state];
    const agent = await rig.agent({ command });
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = refusal(agent.prompt(sessionId, text("first")));
    await listener.until("the half", (heard) => heard.said() === "half");
    await rig.daemon.hide();
    const sentence =
      /^The dcode daemon was lost in the middle of the turn, which may still run there: No dcode daemon listens at /;
    expect(await prompt).toMatchObject({
      code: -32603,
      message: expect.stringMatching(sentence),
      data: { code: "unreachable" },
    });
    expect(await refusal(agent.prompt(sessionId, text("second")))).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^No dcode daemon listens at \S+ \(\w+\); start one with/),
    });
    await rig.daemon.show();
    rig.daemon.open("go");
    expect(await agent.prompt(sessionId, text("second"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(
      /^half\n\n\[error\] The dcode daemon was lost .* rest second$/s,
    );
    expect(rig.daemon.requests.filter(({ path }) => path.endsWith("/turns"))).toHaveLength(2);
  });

  test("lets an approval lapse: the question is withdrawn, the card is closed, and it is said", async () => {
    await using rig = await Rig.start({ approvalTimeoutMs: 300 });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("ask please"));
    await listener.until("the question", ({ asks }) => asks.length === 1);
    await rig.daemon.hide();
    await waitFor("the end of the turn", () => rig.daemon.sessions[0]?.state === "idle");
    await rig.daemon.show();
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.asks.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(listener.cards[2]).toMatchObject({ title: "npm install", status: "failed" });
    expect(listener.said()).toContain(
      "[warning] dcode did not wait for an answer about npm install and denied it",
    );
  });

  test("is told of a cancel when it is back", async () => {
    await using rig = await Rig.start({ script: halves });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("first"));
    await listener.until("the half", (heard) => heard.said() === "half");
    await rig.daemon.hide();
    await agent.cancel(sessionId);
    // Its answer is behind the cancel.
    await refusal(agent.listSessions(rig.cwd));
    expect(rig.daemon.sessions[0]?.state).toBe("running");
    await rig.daemon.show();
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await waitFor("the session to be idle", () => rig.daemon.sessions[0]?.state === "idle");
    expect(listener.said()).toBe("half");
  });

  test.each([
    ["that was given meanwhile", "hide"],
    ["whose acknowledgement was lost", "lose-answer"],
  ] as const)("gets an answer %s, and it counts", async (_, how) => {
    await using rig = await Rig.start();
    const agent = await rig.agent();
    const listener = new Listener();
    const answer = Promise.withResolvers<PermissionOutcome>();
    listener.answer = () => answer.promise;
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("ask please"));
    await listener.until("the question", ({ asks }) => asks.length === 1);
    if (how === "hide") await rig.daemon.hide();
    else rig.daemon.failNext("POST approvals", { kind: how });
    answer.resolve({ outcome: "selected", optionId: "allow" });
    if (how === "hide") {
      // The next call of the agent, which is answered, is behind the one that was not.
      await refusal(agent.listSessions(rig.cwd));
      await rig.daemon.show();
    }
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.cards[2]).toMatchObject({ title: "npm install", status: "completed" });
    expect(listener.said()).not.toContain("[warning]");
  });
});

describe("an event that", () => {
  const saying = (...texts: string[]): DcodeStep[] => texts.map((text) => ({ kind: "say", text }));
  const of = (text: string) => (event: { payload: unknown }) =>
    (event.payload as { text?: string } | null)?.text === text;
  const garbled = (seq: number) => `id: ${seq}\ndata: {"seq":${seq},"type":5}\n\n`;

  test("cannot be read is asked for again, left out at last, and said to be missing", async () => {
    await using rig = await Rig.start({
      script: saying("begun", "garbled", "end"),
      frame: (event, frame) => (of("garbled")(event) ? garbled(event.seq) : frame),
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    expect(await agent.prompt(sessionId, text("go"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(
      /^begun\n\n\[warning\] The dcode daemon has sent an event that cannot be read: a part .*end$/s,
    );
  });

  test("cannot be read once is read the next time, and nothing is said", async () => {
    await using rig = await Rig.start({
      script: [...saying("begun"), { kind: "wait", gate: "go" }, ...saying(" end")],
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    const prompt = agent.prompt(sessionId, text("go"));
    await listener.until("the begin", (heard) => heard.said() === "begun");
    rig.daemon.writeToStreams(garbled((rig.daemon.sessions[0]?.last_seq ?? 0) + 1));
    rig.daemon.open("go");
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("begun end");
  });

  test("the daemon leaves out is said to be missing, and the prompt is answered", async () => {
    await using rig = await Rig.start({
      script: ({ text }) =>
        text === "go" ? saying("begun", "left out", "behind") : saying(" next"),
      frame: (event, frame) => (of("left out")(event) ? "" : frame),
    });
    const agent = await rig.agent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    expect(await agent.prompt(sessionId, text("go"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(
      /^begun\n\n\[warning\] The dcode daemon has left out events: a part of what happened is missing here\./,
    );
    expect(await agent.prompt(sessionId, text("more"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toMatch(/ next$/);
  });

  test("cannot be read in what was said before is left out of the replay, and that is said", async () => {
    await using rig = await Rig.start({
      script: saying("begun ", "garbled", "end"),
      frame: (event, frame) => (of("garbled")(event) ? garbled(event.seq) : frame),
    });
    const agent = await rig.agent();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    await agent.prompt(sessionId, text("go"));
    await agent[Symbol.asyncDispose]();
    const later = await rig.agent();
    const listener = new Listener();
    await later.loadSession(rig.cwd, sessionId, listener);
    await listener.until("the warning", (heard) => heard.said().includes("[warning]"));
    expect(listener.said()).toMatch(/^begun end\n\n\[warning\] Some of its events cannot be read/);
  });

  test("was dropped before a session is loaded is said to be missing", async () => {
    await using rig = await Rig.start({ retention: 3, script: saying("begun ", "middle ", "end") });
    const agent = await rig.agent();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    await agent.prompt(sessionId, text("go"));
    await agent[Symbol.asyncDispose]();
    const later = await rig.agent();
    const listener = new Listener();
    await later.loadSession(rig.cwd, sessionId, listener);
    await listener.until("the warning", (heard) => heard.said().includes("[warning]"));
    expect(listener.said()).toMatch(
      /^middle end\n\n\[warning\] The daemon no longer holds the beginning of this conversation\.$/,
    );
  });
});
