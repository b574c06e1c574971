import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSessionNotFound } from "@acp-kit/acp-wire";
import { describe, expect, test } from "vitest";
import {
  converse,
  Listener,
  readEntries,
  scriptFile,
  startAgent,
  temporaryDirectory,
  textOf,
} from "./start-agent.ts";

const echo = ["--scenario", "echo"];
const chat = [
  ["user_message_chunk", "hello"],
  ["agent_message_chunk", "hello"],
];

function shown(listener: Listener) {
  return listener.updates.map((params) => [params.update.sessionUpdate, textOf(params)]);
}

describe("a session", () => {
  test("that was closed is loaded with its history, or resumed without", async () => {
    const agent = await startAgent(echo);
    const { sessionId } = await converse(agent, "hello");
    await agent.closeSession(sessionId);
    const gone = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    expect(isSessionNotFound(await gone.catch((error) => error))).toBe(true);

    const silent = new Listener();
    await agent.resumeSession("/", sessionId, silent);
    expect(silent.updates).toEqual([]);
    const replay = new Listener();
    await agent.loadSession("/", sessionId, replay);
    expect(shown(replay)).toEqual(chat);
  });

  test("outlives a kill -9 of its process with --store, in the middle of a turn too", async () => {
    const store = ["--store", join(temporaryDirectory(), "sessions")];
    const first = await startAgent([...echo, "--allow-inline", ...store]);
    const { sessionId } = await converse(first, "hello");
    const dying = first.prompt(sessionId, [
      { type: "text", text: 'script:[{"kind":"exit","signal":"SIGKILL"}]' },
    ]);
    await expect(dying).rejects.toMatchObject({ code: "agent_exited" });

    const second = await startAgent([...echo, ...store]);
    const [listed] = await second.listSessions("/");
    expect(listed).toMatchObject({ sessionId, cwd: "/", title: "hello" });
    const replay = new Listener();
    await second.loadSession("/", sessionId, replay);
    expect(shown(replay).slice(0, 2)).toEqual(chat);
    expect(shown(replay)[2]?.[0]).toBe("user_message_chunk");
  });

  test("that is kept still says late what stands behind the answer", async () => {
    const sent: string[] = [];
    const late = 'script:[{"kind":"answer"},{"kind":"text","text":"late"}]';
    const store = join(temporaryDirectory(), "sessions");
    const agent = await startAgent([...echo, "--allow-inline", "--store", store], {
      trace: (direction, message) => direction === "in" && sent.push(JSON.stringify(message)),
    });
    const { listener } = await converse(agent, late);
    await listener.untilSays("late");
    expect(sent.at(-2)).toContain("end_turn");
    expect(sent.at(-1)).toContain("late");
  });

  test("that was refused is not listed", async () => {
    const refuse = { kind: "fail", code: -32000, message: "log in" } as const;
    const agent = await startAgent(["--script", scriptFile({ session: [refuse], prompt: [] })]);
    await expect(agent.newSession("/", new Listener())).rejects.toThrow("log in");
    expect(await agent.listSessions("/")).toEqual([]);
  });

  test("of another process is unknown without --store", async () => {
    const { sessionId } = await converse(await startAgent(echo), "hello");
    const other = await startAgent(echo);
    const load = other.loadSession("/", sessionId, new Listener());
    expect(isSessionNotFound(await load.catch((error) => error))).toBe(true);
  });

  test.for(["../secret", "..", "", "a/b", "a\u0000b"])(
    "named %j never leads out of the store",
    async (id) => {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, "secret.json"), '{"id":"secret","history":[]}');
      const agent = await startAgent([...echo, "--store", join(directory, "sessions")]);
      const load = agent.loadSession("/", id, new Listener());
      expect(isSessionNotFound(await load.catch((error) => error))).toBe(true);
    },
  );

  test("is listed under its own directory only", async () => {
    const agent = await startAgent(echo);
    const here = await agent.newSession("/", new Listener());
    const there = await agent.newSession("/tmp", new Listener());
    expect((await agent.listSessions("/tmp")).map(({ sessionId }) => sessionId)).toEqual([
      there.sessionId,
    ]);
    expect(here.sessionId).not.toBe(there.sessionId);
  });

  test("that is closed in the middle of a turn ends it as cancelled first", async () => {
    const agent = await startAgent(["--scenario", "endless"]);
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
    await listener.until(() => true);
    await agent.closeSession(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  test("needs an absolute directory", async () => {
    const agent = await startAgent(echo);
    const opened = agent.newSession("here", new Listener());
    await expect(opened).rejects.toMatchObject({ code: -32602 });
  });
});

describe("settings", () => {
  const traits = {
    models: [
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ],
    modes: [
      { id: "fast", name: "Fast" },
      { id: "slow", name: "Slow" },
    ],
    configOptions: [{ id: "loud", name: "Loud", type: "boolean", currentValue: false }] as const,
  };
  const prompt = [{ kind: "text", text: "{{model}} {{mode}}" }] as const;

  test.for(["config-option", "set-model"] as const)(
    "are offered, set and kept with models as %s",
    async (modelsAs) => {
      const agent = await startAgent([
        "--script",
        scriptFile({ agent: { ...traits, modelsAs }, prompt }),
      ]);
      const listener = new Listener();
      const setup = await agent.newSession("/", listener);
      const { sessionId } = setup;
      expect(setup.modes?.currentModeId).toBe("fast");
      expect(setup.models?.currentModelId).toBe(modelsAs === "set-model" ? "a" : undefined);
      expect(setup.configOptions?.map(({ id }) => id)).toEqual(
        modelsAs === "set-model" ? ["loud"] : ["model", "loud"],
      );
      await agent.setModel(sessionId, "b");
      await agent.setMode(sessionId, "slow");
      await agent.setConfigOption(sessionId, "loud", true);
      await agent.prompt(sessionId, [{ type: "text", text: "x" }]);
      expect(listener.text).toBe("b slow");
      await agent.closeSession(sessionId);
      const again = await agent.resumeSession("/", sessionId, listener);
      expect(again.modes?.currentModeId).toBe("slow");
      expect(again.configOptions?.find(({ id }) => id === "loud")?.["currentValue"]).toBe(true);
    },
  );

  test.for<[string, unknown, string]>([
    ["model", "c", 'There is no model "c"; there are a, b.'],
    ["loud", "yes", 'Config option "loud" takes a boolean.'],
    ["quiet", true, 'There is no config option "quiet".'],
  ])("refuse %s = %j with the reason", async ([id, value, message]) => {
    const agent = await startAgent(["--script", scriptFile({ agent: traits, prompt })]);
    const { sessionId } = await agent.newSession("/", new Listener());
    const set = agent.setConfigOption(sessionId, id, value as string);
    await expect(set).rejects.toMatchObject({ code: -32602, message });
  });

  test("that the agent changes itself hold from then on", async () => {
    const update = { sessionUpdate: "current_mode_update", currentModeId: "slow" };
    const agent = await startAgent([
      "--script",
      scriptFile({ agent: traits, prompt: [{ kind: "update", update }, ...prompt] }),
    ]);
    const { listener } = await converse(agent, "x");
    expect(listener.text).toBe("a slow");
  });
});

describe("a record", () => {
  test("has a line for each thing that reached the agent, in order, before the agent reacts", async () => {
    const file = join(temporaryDirectory(), "record.jsonl");
    const agent = await startAgent(["--scenario", "ask", "--record", file]);
    const listener = new Listener(async () => {
      expect(readEntries(file).at(-1)).toMatchObject({ method: "session/prompt" });
      return { outcome: "selected", optionId: "no" };
    });
    const { sessionId } = await converse(agent, "first", listener);
    await agent.cancel(sessionId);
    await agent[Symbol.asyncDispose]();
    const entries = readEntries(file);
    expect(entries.map((entry) => (entry.kind === "received" ? entry.method : entry.kind))).toEqual(
      ["start", "initialize", "session/new", "session/prompt", "answered", "session/cancel", "eof"],
    );
    expect(entries[3]).toMatchObject({
      pid: agent.pid,
      params: { sessionId, prompt: [{ type: "text", text: "first" }] },
    });
    expect(entries[4]).toMatchObject({ toolCallId: "ask", outcome: { optionId: "no" } });
  });

  test("counts the processes that write it, so that a script can differ after a restart", async () => {
    const file = join(temporaryDirectory(), "record.jsonl");
    const args = [
      "--script",
      scriptFile({
        prompt: [
          { kind: "when", start: 1, steps: [{ kind: "exit" }] },
          { kind: "text", text: "back" },
        ],
      }),
      "--record",
      file,
    ];
    const first = converse(await startAgent(args), "x");
    await expect(first).rejects.toMatchObject({ code: "agent_exited" });
    const { listener } = await converse(await startAgent(args), "x");
    expect(listener.text).toBe("back");
  });
});
