import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { type AgentOptions, AgentProcess, WireError } from "../src/index.ts";
import { agentFile, agentOptions, Listener } from "./agents.ts";
import { rejection } from "./raw-peer.ts";
import { runs } from "./soak.ts";

const text = (value: string) => [{ type: "text", text: value }] as const;
/** How many agents fail at the same time. */
const AT_ONCE = 10;

interface Failure {
  title: string;
  faults?: string[];
  options?: Partial<AgentOptions>;
  /** What happens to an agent that came up; its rejection is looked at. */
  act?: (agent: AgentProcess, session: string, listener: Listener) => Promise<unknown>;
  expected: object;
  /** The error comes within this, the start of the process included. */
  withinMs: number;
}

/** On a machine that runs other things too, a process may take this long to start. */
const START_MS = 10_000;
/** How long it may take to let go of an agent that has failed. */
const DISPOSE_MS = 10_000;

const FAILURES: Failure[] = [
  {
    title: "the program is not there",
    options: { command: ["no-such-agent"] },
    expected: { code: "spawn_failed", phase: "spawn" },
    withinMs: 1_000,
  },
  {
    title: "the program cannot be run",
    options: { command: ["/etc/passwd"] },
    expected: { code: "spawn_failed", phase: "spawn" },
    withinMs: 1_000,
  },
  {
    title: "the working directory is not there",
    options: { cwd: "/no/such/directory" },
    expected: { code: "spawn_failed", phase: "spawn" },
    withinMs: 1_000,
  },
  {
    title: "exit before initialize",
    faults: ["exit-before"],
    expected: { code: "agent_exited", phase: "initialize", exit: { code: 3 } },
    withinMs: START_MS,
  },
  {
    title: "exit inside initialize",
    faults: ["exit-inside"],
    expected: { code: "agent_exited", phase: "initialize", exit: { code: 4 } },
    withinMs: START_MS,
  },
  {
    title: "initialize never answers",
    faults: ["never-initialize", "ignore-eof", "ignore-term"],
    options: { initializeTimeoutMs: 300 },
    expected: { code: "timeout", phase: "initialize" },
    withinMs: 300 + START_MS,
  },
  {
    title: "exit after initialize",
    act: (agent, session) => agent.prompt(session, text("exit")),
    expected: { code: "agent_exited", phase: "prompt", exit: { code: 5, cause: "crashed" } },
    withinMs: START_MS,
  },
  {
    title: "killed in a prompt",
    act: (agent, session) => {
      const prompt = agent.prompt(session, text("hang"));
      process.kill(agent.pid, "SIGKILL");
      return prompt;
    },
    expected: { code: "agent_exited", phase: "prompt", exit: { signal: "SIGKILL" } },
    withinMs: START_MS,
  },
  {
    title: "killed while a question is open",
    act: async (agent, session, listener) => {
      const prompt = rejection(agent.prompt(session, text("ask")));
      await listener.until(() => listener.asks.length === 1);
      process.kill(agent.pid, "SIGKILL");
      const error = await prompt;
      expect(listener.asks[0]?.signal.aborted).toBe(true);
      throw error;
    },
    expected: { code: "agent_exited", phase: "prompt", exit: { signal: "SIGKILL" } },
    withinMs: START_MS,
  },
  {
    title: "stdin closed, so that a write breaks",
    options: {
      command: ["sh", agentFile("close-stdin.sh")],
      stopTimings: { eofMs: 50, termMs: 50 },
    },
    act: async (agent, session, listener) => {
      const prompt = rejection(agent.prompt(session, text("go")));
      await listener.until(() => listener.texts.includes("closed"));
      await rejection(agent.cancel(session));
      throw await prompt;
    },
    expected: { code: "agent_exited", phase: "prompt", exit: { cause: "unresponsive" } },
    withinMs: START_MS,
  },
  {
    title: "stdout closed",
    options: { stopTimings: { eofMs: 50, termMs: 50 } },
    act: (agent, session) => agent.prompt(session, text("close-stdout")),
    expected: { code: "agent_exited", phase: "prompt", exit: { cause: "unresponsive" } },
    withinMs: START_MS,
  },
  {
    title: "an agent that stops reading",
    options: { writeTimeoutMs: 200, stopTimings: { eofMs: 50, termMs: 50 } },
    act: async (agent, session) => {
      const stopped = rejection(agent.prompt(session, text("stop-reading")));
      const large = "x".repeat(4_000_000);
      await rejection(agent.prompt(session, text(large)));
      throw await stopped;
    },
    expected: { code: "stalled", phase: "prompt" },
    withinMs: START_MS,
  },
  {
    title: "a grandchild that survives its parent",
    act: (agent, session) => agent.prompt(session, text("grandchild")),
    expected: { code: "agent_exited", phase: "prompt", exit: { code: 6 } },
    withinMs: START_MS,
  },
  {
    title: "SIGTERM ignored",
    faults: ["ignore-eof", "ignore-term"],
    options: { stopTimings: { eofMs: 50, termMs: 50 } },
    act: async (agent, session) => {
      const prompt = rejection(agent.prompt(session, text("hang")));
      await agent[Symbol.asyncDispose]();
      throw await prompt;
    },
    expected: { code: "agent_exited", exit: { signal: "SIGKILL", cause: "requested" } },
    withinMs: START_MS,
  },
];

describe("whatever goes wrong, a typed error says it in time and no process is left:", () => {
  it.each(FAILURES.map((failure) => [failure.title, failure] as const))(
    "%s",
    async (_, failure) => {
      const count = runs(2, 100);
      for (let done = 0; done < count; done += AT_ONCE) {
        const batch = Array.from({ length: Math.min(AT_ONCE, count - done) }, () => fail(failure));
        await Promise.all(batch);
      }
    },
    20 * 60_000,
  );
});

async function fail({ faults = [], options = {}, act, expected, withinMs }: Failure) {
  const mark = randomUUID();
  const env = { ACP_WIRE_TEST: mark };
  let agent: AgentProcess | undefined;
  const from = performance.now();
  try {
    agent = await AgentProcess.start(agentOptions("raw-agent.mjs", faults, { env, ...options }));
    if (act === undefined) throw new TypeError("it came up");
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    await act(agent, sessionId, listener);
    throw new TypeError("it did not fail");
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
    expect(error).toMatchObject(expected);
    expect(performance.now() - from).toBeLessThan(withinMs);
    expect((error as WireError).chatText).not.toMatch(/[/\\]|raw-agent/);
  }
  const ended = performance.now();
  await agent?.[Symbol.asyncDispose]();
  expect(performance.now() - ended).toBeLessThan(DISPOSE_MS);
  await vi.waitFor(() => expect(processesWith(mark)).toEqual([]), { timeout: 5_000, interval: 50 });
}

/** The processes with this text in their environment: also those that left their group. */
function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false;
      }
    });
}
