import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, AgentProcess } from "@acp-kit/acp-wire";
import type { Script } from "@acp-kit/demo-agent";
import { parseMeta } from "@acp-kit/statusline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { agentCommand, collectOrphans, inlineScript, scripts, waitFor } from "../src/index.ts";
import { Listener } from "./agent/listener.ts";

// Each test starts processes, and on a busy machine one takes seconds.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const directory = mkdtempSync(join(tmpdir(), "testkit-scripts-"));
/** One agent for all tests of this file whose script can come with the prompt. */
let agent: AgentProcess;

beforeAll(async () => {
  agent = await start(scripts.echo());
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  expect(await collectOrphans(directory)).toEqual([]);
  rmSync(directory, { recursive: true });
});

function start(script: Script, options: Partial<AgentOptions> = {}, record?: string) {
  return AgentProcess.start({
    command: agentCommand(script, {
      directory,
      allowInline: true,
      ...(record !== undefined && { record }),
    }),
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
    stopTimings: { eofMs: 100, termMs: 100 },
    ...options,
  });
}

/** An agent of its own, for scripts that need more than a prompt. */
async function startOwn(script: Script, options: Partial<AgentOptions> = {}, record?: string) {
  const own = await start(script, options, record);
  onTestFinished(() => own[Symbol.asyncDispose]());
  return own;
}

async function open(listener: Listener, own = agent) {
  const { sessionId } = await own.newSession("/", listener);
  const prompt = (text: string) => own.prompt(sessionId, [{ type: "text", text }]);
  return { sessionId, prompt };
}

async function play(script: Script, listener = new Listener()) {
  const { prompt } = await open(listener);
  const result = await prompt(inlineScript(script));
  return { listener, result };
}

describe("the script", () => {
  test("chunks sends so many chunks of that size, each with its number", async () => {
    const { listener } = await play(scripts.chunks(12, 4, 0));
    expect(listener.chunks).toEqual(
      Array.from({ length: 12 }, (_, index) => scripts.chunkText(index + 1, 4)),
    );
    expect(listener.chunks.at(-1)).toBe("12..");
  });

  test("chunks with a time between them takes that time", async () => {
    const startedAt = performance.now();
    await play(scripts.chunks(5, 1, 50));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(4 * 50 - 1);
  });

  test("thoughts thinks first", async () => {
    const { listener } = await play(scripts.thoughts(2, 3, 0));
    const kinds = ["agent_thought_chunk", "agent_thought_chunk", "agent_message_chunk"];
    expect(listener.kinds).toEqual(kinds);
  });

  test("tool goes through all states of a tool call", async () => {
    const { listener } = await play(scripts.tool());
    const states = listener.updates.map(({ update }) => update["status"]);
    expect(states).toEqual(["pending", "in_progress", "completed", undefined]);
  });

  test("plan ends with all entries done, in the status line too", async () => {
    const { listener } = await play(scripts.plan(["a", "b"]));
    const last = listener.updates.findLast(({ update }) => update.sessionUpdate === "plan");
    expect(last?.update["entries"]).toMatchObject([
      { status: "completed" },
      { status: "completed" },
    ]);
    expect(parseMeta(listener.updates.at(-1)?._meta).plan).toBe("2/2");
  });

  test("everyUpdate sends each kind that ACP has", async () => {
    const { listener } = await play(scripts.everyUpdate());
    expect([...new Set(listener.kinds)].sort()).toEqual([
      "agent_message_chunk",
      "agent_thought_chunk",
      "available_commands_update",
      "config_option_update",
      "current_mode_update",
      "plan",
      "session_info_update",
      "tool_call",
      "tool_call_update",
      "usage_update",
    ]);
  });

  test.for(["yes", "no"])("question says what was answered: %s", async (answer) => {
    const { listener } = await play(scripts.question(), new Listener(answer));
    expect(listener.text).toBe(`ask-1: ${answer}\n`);
  });

  test("questions asks the next one when the one before is answered", async () => {
    const { listener } = await play(scripts.questions(3));
    expect(listener.text).toBe("ask-1: yes\nask-2: yes\nask-3: yes\n");
  });

  test("questionsAtOnce has all of them open at the same time", async () => {
    const all = Promise.withResolvers<void>();
    const listener: Listener = new Listener(async () => {
      if (listener.asked.length === 3) all.resolve();
      await all.promise;
      return { outcome: "selected", optionId: "no" };
    });
    await play(scripts.questionsAtOnce(3), listener);
    expect(listener.text.split("\n").sort()).toEqual(["", "ask-1: no", "ask-2: no", "ask-3: no"]);
  });

  test("questionWithdrawn takes its question back", async () => {
    const listener = new Listener(() => new Promise(() => {}));
    await play(scripts.questionWithdrawn(1), listener);
    expect(listener.text).toBe("ask-1: withdrawn\n");
    expect(listener.withdrawn).toBe(1);
  });

  test("stops and fails end the turn as they are told", async () => {
    expect((await play(scripts.stops("error"))).result).toEqual({ stopReason: "error" });
    await expect(play(scripts.fails(-32603, "m"))).rejects.toMatchObject({
      code: -32603,
      message: "m",
    });
  });

  test("turns differ, and the last one stays", async () => {
    const script = scripts.turns(scripts.chunks(1, 1, 0), scripts.tool(), scripts.echo());
    const listener = new Listener();
    const { prompt } = await open(listener, await startOwn(script));
    for (const text of ["a", "b", "c", "d"]) await prompt(text);
    expect(listener.text).toBe("1donecd");
  });

  test("firstProcess dies and comes back as another", async () => {
    const record = join(directory, "first-process");
    const script = scripts.firstProcess(scripts.dieAtStart(9), scripts.echo());
    await expect(start(script, {}, record)).rejects.toMatchObject({ exit: { code: 9 } });
    const listener = new Listener();
    const { prompt } = await open(listener, await startOwn(script, {}, record));
    await prompt("back");
    expect(listener.text).toBe("back");
  });

  test("noise prints five lines that are no messages, and loses no chunk", async () => {
    const lines: string[] = [];
    const own = await startOwn(scripts.noise(), { onNoise: (line) => lines.push(line) });
    const listener = new Listener();
    const { prompt } = await open(listener, own);
    await prompt("x");
    expect(listener.text).toBe("ab");
    expect(lines).toHaveLength(5);
  });

  test("flood arrives whole", async () => {
    const { listener } = await play(scripts.flood(3_000, { bytes: 300, perWrite: 10 }));
    expect(listener.chunks).toHaveLength(3_001);
    expect(listener.chunks.at(-1)).toBe("done");
  });

  test("hugeLine is skipped by its client when it is too long, and nothing else is", async () => {
    const own = await startOwn(scripts.hugeLine(50_000), { maxLineBytes: 40_000 });
    const listener = new Listener();
    const { prompt } = await open(listener, own);
    await prompt("x");
    expect(listener.text).toBe("beforebehind");
  });

  test("unknownUpdates pass through with their fields", async () => {
    const { listener } = await play(scripts.unknownUpdates());
    expect(listener.updates[0]?.update).toEqual({
      sessionUpdate: "weather",
      rain: { mm: [1, 2] },
    });
    expect(listener.chunks.at(-1)).toBe("done");
  });

  test("lateReply answers later than its last word", async () => {
    const listener = new Listener();
    const { prompt } = await open(listener);
    const turn = prompt(inlineScript(scripts.lateReply(100)));
    await waitFor("the last word", () => listener.text === "said");
    const saidAt = performance.now();
    await turn;
    expect(performance.now() - saidAt).toBeGreaterThan(50);
  });

  test("lateCancel obeys late", async () => {
    const listener = new Listener();
    const { sessionId, prompt } = await open(listener);
    const turn = prompt(inlineScript(scripts.lateCancel(20)));
    await waitFor("the agent to speak", () => listener.text === "said");
    await agent.cancel(sessionId);
    expect((await turn).stopReason).toBe("cancelled");
    expect(listener.text).toBe("saidtoo late");
  });

  test.for([
    ["updateAfterResponse", scripts.updateAfterResponse()],
    ["updateBetweenTurns", scripts.updateBetweenTurns(20, "late")],
  ] as const)("%s speaks when the turn is over", async ([, script]) => {
    const { listener, result } = await play(script);
    expect(result.stopReason).toBe("end_turn");
    await waitFor("the late update", () => listener.text === "saidlate");
  });

  test("dieAfter dies behind so many chunks, as it is told", async () => {
    const own = await startOwn(scripts.dieAfter(3, { signal: "SIGKILL" }));
    const listener = new Listener();
    const { prompt } = await open(listener, own);
    await expect(prompt("x")).rejects.toMatchObject({
      code: "agent_exited",
      phase: "prompt",
      exit: { code: null, signal: "SIGKILL" },
    });
    expect(listener.chunks).toEqual(["1.", "2.", "3."]);
  });

  test("neverAnswers initialize is given up", async () => {
    const started = start(scripts.neverAnswers("initialize"), { initializeTimeoutMs: 200 });
    await expect(started).rejects.toMatchObject({ code: "timeout" });
  });

  test("neverAnswers prompt can be cancelled, neverAnswers cancel cannot", async () => {
    const listener = new Listener();
    const { sessionId, prompt } = await open(listener);
    const turn = prompt(inlineScript(scripts.neverAnswers("prompt")));
    await agent.cancel(sessionId);
    expect((await turn).stopReason).toBe("cancelled");

    let ended = false;
    const stuck = prompt(inlineScript(scripts.neverAnswers("cancel"))).finally(() => {
      ended = true;
    });
    await agent.cancel(sessionId);
    await agent.listSessions("/");
    expect(ended).toBe(false);
    await agent.closeSession(sessionId);
    await stuck;
  });

  test("neverAnswers session leaves session/new open", async () => {
    const own = await startOwn(scripts.neverAnswers("session"));
    let ended = false;
    const opened = open(new Listener(), own)
      .catch(() => {})
      .finally(() => {
        ended = true;
      });
    await own.listSessions("/");
    expect(ended).toBe(false);
    await own[Symbol.asyncDispose]();
    await opened;
  });

  test("slow takes its time, and then works", async () => {
    const own = await startOwn(scripts.slow("session", 100));
    const startedAt = performance.now();
    const listener = new Listener();
    const { prompt } = await open(listener, own);
    expect(performance.now() - startedAt).toBeGreaterThan(99);
    await prompt("hi");
    expect(listener.text).toBe("hi");
  });

  test("stubborn has to be killed", async () => {
    const own = await startOwn(scripts.stubborn());
    await own[Symbol.asyncDispose]();
    expect(await own.exited).toMatchObject({ signal: "SIGKILL", cause: "requested" });
  });

  test("closesStdout is the end of its agent", async () => {
    const own = await startOwn(scripts.closesStdout());
    const { prompt } = await open(new Listener(), own);
    await expect(prompt("x")).rejects.toMatchObject({ code: "agent_exited" });
    expect(await own.exited).toMatchObject({ cause: "unresponsive" });
  });

  test("stopsReading does not get its cancel", async () => {
    const own = await startOwn(scripts.stopsReading());
    const listener = new Listener();
    const { sessionId, prompt } = await open(listener, own);
    const turn = prompt("x").catch((error) => error);
    await waitFor("the agent to speak", () => listener.text === "said");
    await own.cancel(sessionId);
    await own[Symbol.asyncDispose]();
    expect(await turn).toMatchObject({ code: "agent_exited" });
  });

  test("leavesChild leaves a child that goes with the group of its agent", async () => {
    const own = await startOwn(scripts.leavesChild(60_000));
    const { prompt } = await open(new Listener(), own);
    await prompt("x");
    expect(await collectOrphans(directory, 0)).not.toEqual([]);
    await own[Symbol.asyncDispose]();
  });
});
