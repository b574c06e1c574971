import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AgentProcess, WireError } from "@acp-kit/acp-wire";
import { describe, expect, test } from "vitest";
import { demoAgentCommand } from "../src/command.ts";
import type { Script, Step } from "../src/script.ts";
import {
  converse,
  Listener,
  readEntries,
  scriptFile,
  sharedAgent,
  startAgent,
  temporaryDirectory,
  textOf,
} from "./start-agent.ts";

const say = (text: string): Step => ({ kind: "text", text });
const quick = { eofMs: 50, termMs: 50 };

function start(script: Script, options = {}) {
  return startAgent(["--script", scriptFile(script)], options);
}

describe("a fault", () => {
  test("print puts a line between two messages, where it is noise", async () => {
    const noise: string[] = [];
    const agent = await start(
      {
        session: [{ kind: "print", text: "Welcome!" }],
        prompt: [say("a"), { kind: "print", text: "[1]" }, say("b"), { kind: "print", text: "{" }],
      },
      { onNoise: (line: string) => noise.push(line) },
    );
    const { listener } = await converse(agent, "x");
    expect(listener.text).toBe("ab");
    expect(noise).toEqual(["Welcome!", "[1]", "{"]);
  });

  test("print to stderr leaves stdout alone", async () => {
    const noise: string[] = [];
    const agent = await start(
      { prompt: [{ kind: "print", to: "stderr", text: "oh no" }] },
      { onNoise: (line: string) => noise.push(line) },
    );
    await converse(agent, "x");
    expect(noise).toEqual([]);
  });

  test.for([1, 7, 5_000])(
    "flood sends every line once and in order, %d a write",
    async (perWrite) => {
      const steps = [say("before"), { kind: "flood", lines: 5_000, perWrite }, say("behind")];
      const { listener } = await converse(await sharedAgent(), `script:${JSON.stringify(steps)}`);
      const numbers = listener.updates
        .slice(1, -1)
        .map((params) => Number.parseInt(textOf(params), 10));
      expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
      expect(textOf(listener.updates.at(-1) as never)).toBe("behind");
    },
  );

  test("flood can be cancelled in the middle", async () => {
    const agent = await start({ prompt: [{ kind: "flood", lines: 10_000_000 }] });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    await listener.until(() => true);
    await agent.cancel(sessionId);
    expect((await turn).stopReason).toBe("cancelled");
    expect(listener.updates.length).toBeLessThan(10_000_000);
  });

  test("flood of one line makes a line of that many bytes", async () => {
    const script = scriptFile({ prompt: [{ kind: "flood", lines: 1, bytes: 100_000 }] });
    const lines = await talkRaw(
      ["--script", script],
      [
        { id: 1, method: "initialize", params: { protocolVersion: 1 } },
        { id: 2, method: "session/new", params: { cwd: "/" } },
        (answer) => ({
          id: 3,
          method: "session/prompt",
          params: { sessionId: answer.result.sessionId, prompt: [{ type: "text", text: "x" }] },
        }),
      ],
    );
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line) + 1))).toBe(100_000);
  });

  test.for<[object, object]>([
    [{}, { code: 1, signal: null }],
    [{ code: 0 }, { code: 0, signal: null }],
    [{ code: 7 }, { code: 7, signal: null }],
    [{ signal: "SIGKILL" }, { code: null, signal: "SIGKILL" }],
    [{ signal: "SIGSEGV" }, { code: null, signal: "SIGSEGV" }],
  ])("exit %j ends the process behind what it said: %j", async ([how, exit]) => {
    const listener = new Listener();
    const agent = await start({ prompt: [say("last words"), { kind: "exit", ...how }] });
    await expect(converse(agent, "x", listener)).rejects.toMatchObject({ code: "agent_exited" });
    expect(listener.text).toBe("last words");
    expect(await agent.exited).toMatchObject(exit);
  });

  test("close-stdout ends the output of a process that lives on", async () => {
    const child = spawnRaw([
      "--script",
      scriptFile({ initialize: [{ kind: "close-stdout" }], prompt: [] }),
    ]);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
    child.stdout.resume();
    await once(child.stdout, "end");
    expect(child.exitCode).toBe(null);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("stop-reading leaves what comes then in the pipe", async () => {
    const record = join(temporaryDirectory(), "record");
    const script = {
      prompt: [say("deaf now"), { kind: "stop-reading" }, { kind: "wait" }],
    } as const;
    const agent = await startAgent(["--script", scriptFile(script), "--record", record], {
      stopTimings: quick,
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]).catch((error) => error);
    await listener.untilSays("deaf now");
    await agent.cancel(sessionId);
    await agent[Symbol.asyncDispose]();
    expect(await turn).toBeInstanceOf(WireError);
    const methods = readEntries(record).map((entry) => entry.kind === "received" && entry.method);
    expect(methods).not.toContain("session/cancel");
  });

  test("child leaves a process of the agent's group behind that ignores SIGTERM", async () => {
    const child = spawnRaw(
      ["--script", scriptFile({ initialize: [{ kind: "child", ms: 60_000 }], prompt: [] })],
      { detached: true },
    );
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
    await once(child.stdout, "data");
    child.stdin.end();
    await once(child, "exit");
    const group = -(child.pid as number);
    expect(process.kill(group, "SIGTERM")).toBe(true);
    expect(process.kill(group, 0)).toBe(true);
    process.kill(group, "SIGKILL");
  });
});

describe("an agent that ignores", () => {
  test("eof and sigterm has to be killed, and says so in its record", async () => {
    const record = join(temporaryDirectory(), "record");
    const script = scriptFile({ prompt: [], ignore: ["eof", "sigterm"] });
    const agent = await startAgent(["--script", script, "--record", record], {
      stopTimings: quick,
    });
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
    expect(readEntries(record).map(({ kind }) => kind)).toEqual([
      "start",
      "received",
      "eof",
      "sigterm",
    ]);
  });

  test("only eof ends on SIGTERM", async () => {
    const agent = await start({ prompt: [], ignore: ["eof"] }, { stopTimings: quick });
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGTERM" });
  });

  test("nothing ends by itself at the end of its input, in the middle of a turn too", async () => {
    const agent = await start({
      prompt: [say("working"), { kind: "wait" }],
      cancel: [{ kind: "wait" }],
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]).catch(() => {});
    await listener.untilSays("working");
    await agent[Symbol.asyncDispose]();
    await turn;
    expect(await agent.exited).toMatchObject({ code: 0, signal: null });
  });
});

describe("an agent that never answers", () => {
  test("initialize is given up by its client", async () => {
    const started = AgentProcess.start({
      command: demoAgentCommand([
        "--script",
        scriptFile({ initialize: [{ kind: "wait" }], prompt: [] }),
      ]),
      hostEnv: process.env,
      clientInfo: { name: "test", version: "0" },
      initializeTimeoutMs: 300,
    });
    await expect(started).rejects.toMatchObject({ code: "timeout" });
  });

  test("session/new or a prompt still answers everything else", async () => {
    const agent = await start({ session: [{ kind: "wait" }], prompt: [] });
    const never = agent.newSession("/", new Listener());
    const given = expect(never).rejects.toThrow();
    await agent.listSessions("/");
    await agent[Symbol.asyncDispose]();
    await given;
  });

  test("a cancel keeps its turn open", async () => {
    const agent = await start({
      prompt: [say("stuck"), { kind: "wait" }],
      cancel: [say("no"), { kind: "wait" }],
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]).catch((error) => error);
    await listener.untilSays("stuck");
    await agent.cancel(sessionId);
    await listener.untilSays("no");
    await agent.closeSession(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });
});

function spawnRaw(args: readonly string[], options: { detached?: boolean } = {}) {
  const [command = "", ...rest] = demoAgentCommand(args);
  return spawn(command, rest, { stdio: ["pipe", "pipe", "ignore"], ...options });
}

type Answer = { id?: number; result: { sessionId: string } };

/** Sends each request behind the answer to the one before; returns all lines of the agent. */
async function talkRaw(
  args: readonly string[],
  requests: readonly (object | ((answer: Answer) => object))[],
): Promise<string[]> {
  const child = spawnRaw(args);
  let output = "";
  let answer: Answer = { result: { sessionId: "" } };
  for (const [index, request] of requests.entries()) {
    const message = typeof request === "function" ? request(answer) : request;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    while (answer.id !== index + 1) {
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      output += chunk.toString();
      const complete = output.slice(0, output.lastIndexOf("\n")).split("\n");
      const found = complete
        .map((line) => JSON.parse(line) as Answer)
        .find(({ id }) => id === index + 1);
      if (found !== undefined) answer = found;
    }
  }
  child.stdin.end();
  await once(child, "close");
  return output.trimEnd().split("\n");
}
