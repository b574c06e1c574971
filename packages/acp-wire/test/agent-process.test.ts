import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, vi } from "vitest";
import { AgentProcess, RpcError, type WireError } from "../src/index.ts";
import { agentFile, Listener, rawAgent } from "./agents.ts";
import { groupEnds, groupMembers } from "./group-members.ts";

const text = (value: string) => [{ type: "text", text: value }] as const;

describe("a session", () => {
  it("hears what was sent before its id was known, in order", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    const { sessionId, modes } = await agent.newSession("/tmp", listener);
    expect(sessionId).toBe("s1");
    expect(modes?.currentModeId).toBe("ask");
    expect(listener.texts).toEqual(["early", "late"]);
  });

  it("hears every update before its prompt resolves, and those that come after", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    listener.updates.length = 0;
    const chunks = Array.from({ length: 20 }, (_, at) => `${at} `);
    expect(await agent.prompt(sessionId, text("go"))).toEqual({ stopReason: "end_turn" });
    expect(listener.texts.slice(0, 20)).toEqual(chunks);
    await listener.until(() => listener.updates.length === 22);
    expect(listener.texts.slice(20)).toEqual(["after", "much later"]);
  });

  it("hears all updates of one read in one tick", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    const ticks: number[] = [];
    let tick = 0;
    const timer = setInterval(() => tick++, 0);
    const update = listener.update.bind(listener);
    let pending = 0;
    listener.update = (params) => {
      // A microtask between two updates of one read would find this at 1.
      ticks.push(pending);
      pending++;
      if (pending === 1) queueMicrotask(() => (pending = 0));
      update(params);
    };
    await agent.prompt(sessionId, text("go"));
    clearInterval(timer);
    expect(ticks.slice(0, 21)).toEqual(Array.from({ length: 21 }, (_, at) => at));
  });

  it("is loaded with its replay heard before the call resolves", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    expect(await agent.loadSession("/tmp", "old", listener)).toEqual({ sessionId: "old" });
    expect(listener.texts).toEqual(["replayed"]);
  });

  it("whose id is another one's is refused", async () => {
    await using agent = await rawAgent(["one-id"]);
    const first = new Listener();
    await agent.newSession("/tmp", first);
    const second = new Listener();
    const error = await agent.newSession("/tmp", second).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "protocol" });
    expect(second.updates).toEqual([]);
    expect(agent.hasSession("s1")).toBe(true);
  });

  it("is told of an update that was too long to be read, and no other session is", async () => {
    const onOversize = vi.fn();
    await using agent = await rawAgent([], { maxLineBytes: 4_000, onOversize });
    const listener = Object.assign(new Listener(), { lost: vi.fn() });
    const other = Object.assign(new Listener(), { lost: vi.fn() });
    const { sessionId } = await agent.newSession("/tmp", listener);
    await agent.newSession("/tmp", other);
    await agent.prompt(sessionId, text("too-long"));
    expect(listener.lost).toHaveBeenCalledTimes(1);
    expect(other.lost).not.toHaveBeenCalled();
    expect(onOversize).toHaveBeenCalledTimes(1);
  });

  it("does not wait for a prompt's answer that was too long to be read", async () => {
    await using agent = await rawAgent([], { maxLineBytes: 4_000 });
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    const error = await agent.prompt(sessionId, text("too-long-answer")).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "protocol", phase: "prompt" });
  });

  it("list follows the pages", async () => {
    await using agent = await rawAgent();
    const sessions = await agent.listSessions("/tmp");
    expect(sessions.map((session) => session.sessionId)).toEqual(["s1", "s2"]);
  });

  it("close warns once about an agent that cannot free sessions", async () => {
    const onWarning = vi.fn();
    await using agent = await rawAgent([], { onWarning });
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    await agent.closeSession(sessionId);
    await agent.closeSession(sessionId);
    expect(onWarning).toHaveBeenCalledTimes(1);
  });

  it("rejects with the agent's own code and data", async () => {
    await using agent = await rawAgent();
    const error = await agent.setMode("s1", "x").catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32601, data: { method: "session/set_mode" } });
  });
});

describe("a question", () => {
  it("is answered with what the listener chose", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    listener.answer = async () => ({ outcome: "selected", optionId: "y" });
    const { sessionId } = await agent.newSession("/tmp", listener);
    await agent.prompt(sessionId, text("ask"));
    expect(listener.texts.at(-1)).toBe('{"outcome":{"outcome":"selected","optionId":"y"}}');
  });

  it("is answered cancelled when its turn is cancelled, and its signal aborts", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    const prompt = agent.prompt(sessionId, text("ask"));
    await listener.until(() => listener.asks.length === 1);
    await agent.cancel(sessionId);
    expect(listener.asks[0]?.signal.aborted).toBe(true);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    await listener.until(() => listener.texts.some((line) => line.includes('"cancelled"')));
  });

  it("loses its asker when the agent dies", async () => {
    await using agent = await rawAgent();
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    const prompt = agent.prompt(sessionId, text("ask")).catch((error: unknown) => error);
    await listener.until(() => listener.asks.length === 1);
    process.kill(agent.pid, "SIGKILL");
    expect(await prompt).toMatchObject({ code: "agent_exited", phase: "prompt" });
    expect(listener.asks[0]?.signal.aborted).toBe(true);
  });
});

describe("failure", () => {
  const failed = (start: Promise<unknown>) =>
    start.then(
      () => undefined,
      (error: unknown) => error,
    );

  it("to find the program is spawn_failed", async () => {
    const start = AgentProcess.start({
      command: ["no-such-agent"],
      hostEnv: process.env,
      clientInfo: { name: "test", version: "0" },
    });
    expect(await failed(start)).toMatchObject({ code: "spawn_failed", sent: false });
  });

  it("before initialize carries exit code and stderr", async () => {
    expect(await failed(rawAgent(["exit-before"]))).toMatchObject({
      code: "agent_exited",
      phase: "initialize",
      exit: { code: 3, cause: "crashed", stderrTail: "cannot start: no key" },
    });
  });

  it("inside initialize carries the exit code, and a text without paths for the chat", async () => {
    const error = await failed(rawAgent(["exit-inside"]));
    expect(error).toMatchObject({ code: "agent_exited", exit: { code: 4 } });
    expect((error as WireError).chatText).toBe(
      "The agent stopped unexpectedly while it started (exit code 4).",
    );
  });

  it("to answer initialize is a timeout, and the agent is gone", async () => {
    let pid: number | undefined;
    const start = rawAgent(["never-initialize", "ignore-term", "ignore-eof"], {
      initializeTimeoutMs: 300,
      trace: (direction, message) => {
        if (direction === "out") pid ??= Number((message as { id: number }).id);
      },
    });
    expect(await failed(start)).toMatchObject({ code: "timeout", phase: "initialize" });
    expect(pid).toBe(1);
  });

  it.each([
    ["an error answer", "refuse-initialize"],
    ["a foreign version", "v2"],
  ])("of initialize by %s is initialize_failed", async (_, fault) => {
    expect(await failed(rawAgent([fault]))).toMatchObject({ code: "initialize_failed" });
  });

  it.each([
    ["exits", "exit", { code: 5, cause: "crashed" }],
    ["closes its stdout", "close-stdout", { cause: "unresponsive" }],
  ])("of an agent that %s fails the prompt with how it ended", async (_, what, exit) => {
    await using agent = await rawAgent([], { stopTimings: { eofMs: 100, termMs: 100 } });
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    expect(await failed(agent.prompt(sessionId, text(what)))).toMatchObject({
      code: "agent_exited",
      phase: "prompt",
      exit,
    });
    expect(await agent.exited).toMatchObject(exit);
    expect(await failed(agent.prompt(sessionId, text("x")))).toMatchObject({ sent: false });
  });

  it("of a killed agent names the signal", async () => {
    await using agent = await rawAgent();
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    const prompt = failed(agent.prompt(sessionId, text("hang")));
    process.kill(agent.pid, "SIGKILL");
    expect(await prompt).toMatchObject({
      code: "agent_exited",
      exit: { signal: "SIGKILL", phase: "prompt" },
      chatText: "The agent stopped unexpectedly while it worked on the answer (signal SIGKILL).",
    });
    await groupEnds(agent.pid);
  });
});

describe("the environment", () => {
  it("is an allow-list: a host secret reaches the agent only by name", async () => {
    const hostEnv = { ...process.env, BOT_TOKEN: "secret", NAMED: "yes", LC_TIME: "C" };
    await using agent = await rawAgent(["env"], { hostEnv, envPass: ["NAMED"], env: { OWN: "1" } });
    const { _meta } = await agent.newSession("/tmp", new Listener());
    const env = _meta?.["env"] as Record<string, string>;
    expect(env).toMatchObject({ NAMED: "yes", OWN: "1", LC_TIME: "C", PATH: process.env["PATH"] });
    expect(env).not.toHaveProperty("BOT_TOKEN");
  });
});

describe("an agent that has ended", () => {
  it("is sent no signal any more: its number may be another's", async () => {
    const agent = await rawAgent();
    process.kill(agent.pid, "SIGKILL");
    await agent.exited;
    const kill = vi.spyOn(process, "kill");
    await agent[Symbol.asyncDispose]();
    expect(kill).not.toHaveBeenCalled();
    kill.mockClear();
    await rawAgent(["exit-before"]).catch(() => {});
    // The group is killed once, behind its leader, and not again when the start is given up.
    expect(kill).toHaveBeenCalledTimes(1);
  });
});

describe("stopping", () => {
  it("is over at once for an agent that follows the end of its input", async () => {
    const agent = await rawAgent();
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ code: 0, cause: "requested" });
    await groupEnds(agent.pid);
  });

  it("kills an agent that ignores the end of its input and SIGTERM", async () => {
    const stopTimings = { eofMs: 50, termMs: 50 };
    const agent = await rawAgent(["ignore-eof", "ignore-term"], { stopTimings });
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL", cause: "requested" });
    await groupEnds(agent.pid);
  });

  it("comes within 2 s when the relay is SIGKILLed, whatever the agent ignores", async () => {
    const relay = spawn(
      process.execPath,
      ["--conditions=@acp-kit/source", agentFile("relay.ts"), "ignore-eof", "ignore-term"],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [line] = (await once(createInterface({ input: relay.stdout }), "line")) as [string];
    const pid = Number(line);
    expect(groupMembers(pid).length).toBeGreaterThan(0);
    relay.kill("SIGKILL");
    await once(relay, "exit");
    const killed = Date.now();
    await vi.waitFor(() => expect(groupMembers(pid)).toEqual([]), { timeout: 3_000, interval: 50 });
    expect(Date.now() - killed).toBeLessThan(2_000);
  });
});
