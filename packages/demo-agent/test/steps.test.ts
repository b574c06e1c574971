import { isSessionNotFound, RpcError } from "@acp-kit/acp-wire";
import { parseMeta } from "@acp-kit/statusline";
import { describe, expect, test } from "vitest";
import type { Script, Step } from "../src/script.ts";
import {
  choose,
  converse,
  Listener,
  scriptFile,
  sharedAgent,
  startAgent,
  textOf,
} from "./start-agent.ts";

const say = (text: string): Step => ({ kind: "text", text });
const question = {
  kind: "ask",
  toolCall: { toolCallId: "q", title: "May I?" },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
} as const;

function start(script: Script) {
  return startAgent(["--script", scriptFile(script)]);
}

/** Plays the steps for one prompt, in a session of its own. */
async function play(prompt: readonly Step[], listener = new Listener()) {
  return converse(await sharedAgent(), `script:${JSON.stringify(prompt)}`, listener);
}

describe("a step", () => {
  test("text without a pace is one chunk, with one it is pieces of that size, in order", async () => {
    const pace = { size: 2, everyMs: 1 };
    const { listener } = await play([say("whole"), { kind: "text", text: "in👍pieces", pace }]);
    expect(listener.updates.map(textOf)).toEqual(["whole", "in", "👍p", "ie", "ce", "s"]);
  });

  test("text fills in what the script cannot know", async () => {
    const agent = await start({
      prompt: [say("{{prompt}} {{turn}} {{session}} {{cwd}} {{model}}.")],
    });
    const { listener, sessionId } = await converse(agent, "{{turn}}");
    expect(listener.text).toBe(`{{turn}} 1 ${sessionId} / .`);
  });

  test("update goes out as it is, also of an unknown kind, with its _meta", async () => {
    const update = { sessionUpdate: "weather", _meta: { inside: 1 }, deep: [{ null: null }] };
    const { listener } = await play([{ kind: "update", update, meta: { beside: 2 } }]);
    expect(listener.updates).toMatchObject([{ update, _meta: { beside: 2 } }]);
  });

  test("status without a field clears it", async () => {
    const { listener } = await play([{ kind: "status", mood: "calm" }]);
    expect(parseMeta(listener.updates[0]?._meta)).toEqual({ mood: "calm", plan: "", ok: true });
  });

  test.for<[string, string]>([
    ["yes", "behind yes"],
    ["no", "behind"],
  ])("ask branches on the answer %s and goes on behind", async ([answer, text]) => {
    const { listener } = await play(
      [{ ...question, on: { yes: [say(" yes")] } }, say("behind")].reverse() as Step[],
      new Listener(choose(answer)),
    );
    expect(listener.text).toBe(text);
  });

  test("ask takes an answer that it did not offer for one without steps", async () => {
    const { listener } = await play(
      [{ ...question, on: { yes: [say("yes")] } }, say("behind")],
      new Listener(choose("constructor")),
    );
    expect(listener.text).toBe("behind");
  });

  test("ask can be taken back: the client's signal aborts and the steps of withdrawn run", async () => {
    const aborted = Promise.withResolvers<void>();
    const listener = new Listener();
    listener.ask = (_, signal?: AbortSignal) =>
      new Promise(() => signal?.addEventListener("abort", () => aborted.resolve()));
    await play(
      [{ ...question, withdrawAfterMs: 1, on: { withdrawn: [say("never mind")] } }],
      listener,
    );
    await aborted.promise;
    expect(listener.text).toBe("never mind");
  });

  test("ask goes on with error when the client answers with one", async () => {
    const listener = new Listener(() => Promise.reject(new RpcError(-32603, "no screen")));
    await play(
      [{ ...question, on: { error: [say("error")], cancelled: [say("cancelled")] } }],
      listener,
    );
    // AgentProcess may turn a client's failure into `cancelled`; either way the agent gets to know.
    expect(["error", "cancelled"]).toContain(listener.text);
  });

  test("when holds only if all its conditions do", async () => {
    const when = (given: object, text: string): Step => ({
      kind: "when",
      ...given,
      steps: [say(text)],
      otherwise: [say("-")],
    });
    const agent = await start({
      prompt: [
        when({}, "a"),
        when({ says: "tests" }, "b"),
        when({ says: "test" }, "c"),
        when({ turn: 1, says: "run" }, "d"),
        when({ turn: 2, says: "run" }, "e"),
        when({ start: 1 }, "f"),
        when({ start: 2 }, "g"),
        when({ model: "m" }, "h"),
        when({ mode: "" }, "i"),
      ],
    });
    const { listener } = await converse(agent, "Run the tests!");
    expect(listener.text).toBe("ab-d-f--i");
  });

  test("repeat runs its steps so many times", async () => {
    const { listener } = await play([{ kind: "repeat", times: 3, steps: [say("x"), say("y")] }]);
    expect(listener.text).toBe("xyxyxy");
  });

  test("together asks two questions at once and goes on when both are answered", async () => {
    const first = { ...question, toolCall: { toolCallId: "first" } };
    const both = Promise.withResolvers<void>();
    const listener: Listener = new Listener(async () => {
      if (listener.asked.length === 2) both.resolve();
      await both.promise;
      return { outcome: "selected", optionId: "yes" };
    });
    await play([{ kind: "together", branches: [[first], [question]] }, say("done")], listener);
    expect(listener.text).toBe("done");
  });

  test("answer ends the turn with any stop reason; what comes behind it is sent behind the response", async () => {
    const sent: string[] = [];
    const trace = (direction: "in" | "out", message: object) => {
      if (direction === "in") sent.push(JSON.stringify(message));
    };
    const steps: Step[] = [
      { kind: "answer", stopReason: "refusal", result: { usage: { totalTokens: 7 } } },
      say("late"),
    ];
    const agent = await startAgent(["--script", scriptFile({ prompt: steps })], { trace });
    const { listener, result } = await converse(agent, "x");
    expect(result).toEqual({ stopReason: "refusal", usage: { totalTokens: 7 } });
    await listener.untilSays("late");
    expect(sent.at(-2)).toContain("refusal");
    expect(sent.at(-1)).toContain("late");
  });

  test("fail answers with a JSON-RPC error, and the session goes on", async () => {
    const agent = await start({
      prompt: [
        { kind: "when", turn: 1, steps: [{ kind: "fail", code: -32000, message: "m", data: [1] }] },
        say("fine"),
      ],
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const prompt = () => agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    await expect(prompt()).rejects.toMatchObject({ code: -32000, message: "m", data: [1] });
    await expect(prompt()).resolves.toEqual({ stopReason: "end_turn" });
  });
});

describe("a cancel", () => {
  test("runs the steps of cancel, however long they take, and answers cancelled", async () => {
    const agent = await start({
      prompt: [say("on it"), { kind: "wait" }],
      cancel: [{ kind: "wait", ms: 50 }, say("just a moment")],
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    await listener.untilSays("on it");
    await agent.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(listener.text).toBe("on itjust a moment");
  });

  test("in the same breath as its prompt still cancels it", async () => {
    const agent = await start({ prompt: [{ kind: "wait" }] });
    const { sessionId } = await agent.newSession("/", new Listener());
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    await agent.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  test("between turns does nothing to what the agent still says, nor to the next turn", async () => {
    const agent = await start({
      prompt: [{ kind: "answer" }, { kind: "wait", ms: 50 }, say("by the way")],
    });
    const { sessionId, listener } = await converse(agent, "x");
    await agent.cancel(sessionId);
    await listener.untilSays("by the way");
    const next = await agent.prompt(sessionId, [{ type: "text", text: "y" }]);
    expect(next.stopReason).toBe("end_turn");
  });
});

describe("a second prompt", () => {
  test("of a busy session is refused and the first one goes on", async () => {
    const agent = await start({ prompt: [say("busy"), { ...question }] });
    const answer = Promise.withResolvers<{ outcome: "selected"; optionId: string }>();
    const listener = new Listener(() => answer.promise);
    const { sessionId } = await agent.newSession("/", listener);
    const first = agent.prompt(sessionId, [{ type: "text", text: "1" }]);
    await listener.untilSays("busy");
    const second = agent.prompt(sessionId, [{ type: "text", text: "2" }]);
    await expect(second).rejects.toMatchObject({ code: -32600 });
    answer.resolve({ outcome: "selected", optionId: "yes" });
    expect((await first).stopReason).toBe("end_turn");
  });

  test("of another session runs at the same time", async () => {
    const agent = await start({
      prompt: [
        { kind: "when", says: "wait", steps: [say("waiting"), { kind: "wait" }] },
        say("hi"),
      ],
    });
    const waiting = new Listener();
    const { sessionId } = await agent.newSession("/", waiting);
    const stuck = agent.prompt(sessionId, [{ type: "text", text: "wait" }]);
    await waiting.untilSays("waiting");
    const { listener } = await converse(agent, "go");
    expect(listener.text).toBe("hi");
    await agent.cancel(sessionId);
    await stuck;
  });
});

describe("a script in the prompt", () => {
  test("runs for that prompt only, when the agent was started with --allow-inline", async () => {
    const agent = await startAgent(["--scenario", "echo", "--allow-inline"]);
    const { sessionId, listener } = await converse(
      agent,
      `script:${JSON.stringify([say("mine"), { kind: "answer", stopReason: "max_tokens" }])}`,
    );
    expect(listener.text).toBe("mine");
    await agent.prompt(sessionId, [{ type: "text", text: "!" }]);
    expect(listener.text).toBe("mine!");
  });

  test("is refused with its reason", async () => {
    const agent = await startAgent(["--scenario", "echo", "--allow-inline"]);
    await expect(converse(agent, 'script:[{"kind":"txt"}]')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("prompt[0].kind should be one of"),
    });
  });

  test("is a text like any other without --allow-inline", async () => {
    const agent = await startAgent(["--scenario", "echo"]);
    const { listener } = await converse(agent, 'script:[{"kind":"exit"}]');
    expect(listener.text).toBe('script:[{"kind":"exit"}]');
  });
});

test("a prompt for a session that nobody opened is answered with session not found", async () => {
  const agent = await start({ prompt: [] });
  const error = await agent.prompt("nobody", [{ type: "text", text: "x" }]).catch((error) => error);
  expect(isSessionNotFound(error)).toBe(true);
});
