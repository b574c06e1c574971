import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  createFileStore,
  createMemoryStore,
  type PromptTurn,
  RpcError,
  STEER_METHOD,
  STEERING,
} from "../src/index.ts";
import { Served, scripted } from "./served.ts";

const echo = scripted(async (turn) => {
  await turn.text(`you said ${turn.promptText}`);
});
const rejection = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
/** A turn that goes on until it is cancelled, and tells when it has begun. */
function endless() {
  const began = Promise.withResolvers<PromptTurn>();
  const factory = scripted(async (turn) => {
    began.resolve(turn);
    await turn.cancelled;
  });
  return { factory, began: began.promise };
}

describe("initialize", () => {
  it("advertises sessions, embedded text, and no more", async () => {
    await using served = new Served({ factory: echo });
    expect(await served.call("initialize", { protocolVersion: 1 })).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "served", version: "1" },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
      },
      authMethods: [],
    });
  });

  it("and session/new may come in one write", async () => {
    await using served = new Served({ factory: echo });
    const init = served.call("initialize", { protocolVersion: 1 });
    const session = served.open();
    await init;
    expect(await session).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a prompt", () => {
  it("has sent all its updates before it is answered", async () => {
    await using served = new Served({
      factory: scripted((turn) => {
        for (let at = 0; at < 100; at++) void turn.text(`${at} `);
      }),
    });
    const sessionId = await served.open();
    expect(await served.prompt(sessionId, "go")).toEqual({ stopReason: "end_turn" });
    expect(served.updates).toHaveLength(100);
  });

  it.each([
    ["nothing", undefined, { stopReason: "end_turn" }],
    ["a stop reason", "refusal" as const, { stopReason: "refusal" }],
    [
      "an outcome",
      { usage: { totalTokens: 3 }, meta: { a: 1 } },
      { stopReason: "end_turn", usage: { totalTokens: 3 }, _meta: { a: 1 } },
    ],
  ])("that returns %s is answered so", async (_, outcome, expected) => {
    await using served = new Served({ factory: scripted(() => outcome) });
    expect(await served.prompt(await served.open(), "go")).toEqual(expected);
  });

  it.each([
    ["an unknown session", { sessionId: "nobody", prompt: [{ type: "text", text: "x" }] }, -32002],
    ["no text", { prompt: [{ type: "text", text: "  " }] }, -32602],
    ["no blocks", { prompt: [] }, -32602],
    ["no list of blocks", { prompt: "hello" }, -32602],
    ["a block without a type", { prompt: [{ text: "x" }] }, -32602],
  ])("for %s is refused", async (_, params, code) => {
    await using served = new Served({ factory: echo });
    const sessionId = await served.open();
    const error = await rejection(served.call("session/prompt", { sessionId, ...params }));
    expect(error).toMatchObject({ code });
  });

  it("keeps a block of a kind that nobody knows yet", async () => {
    await using served = new Served({
      factory: scripted((turn) => turn.text(JSON.stringify(turn.blocks)).then(() => undefined)),
    });
    const sessionId = await served.open();
    const prompt = [{ type: "hologram", data: 1 }];
    await served.call("session/prompt", { sessionId, prompt });
    expect(served.texts).toEqual([JSON.stringify(prompt)]);
  });

  it("that fails is an error that leaks nothing", async () => {
    await using served = new Served({
      factory: scripted(() => {
        throw new Error("key sk-123 is wrong");
      }),
    });
    const error = await rejection(served.prompt(await served.open(), "go"));
    expect(error).toMatchObject({ code: -32603, message: "Internal error" });
    expect(served.errors).toHaveLength(1);
  });

  it("that says error is a JSON-RPC error", async () => {
    await using served = new Served({ factory: scripted(() => "error") });
    expect(await rejection(served.prompt(await served.open(), "go"))).toMatchObject({
      code: -32603,
    });
  });

  it("that fails ends with the stop reason error in compat mode", async () => {
    await using served = new Served({
      compat: true,
      factory: scripted(() => {
        throw new Error("no");
      }),
    });
    expect(await served.prompt(await served.open(), "go")).toEqual({ stopReason: "error" });
  });

  it("is refused while another one of its session runs, which goes on", async () => {
    const { factory, began } = endless();
    await using served = new Served({ factory });
    const sessionId = await served.open();
    const first = served.prompt(sessionId, "first");
    await began;
    expect(await rejection(served.prompt(sessionId, "second"))).toMatchObject({ code: -32600 });
    await served.client.notify("session/cancel", { sessionId });
    expect(await first).toEqual({ stopReason: "cancelled" });
  });

  it("can be steered while it runs, by an agent that offers it; before, behind and cancelled it cannot", async () => {
    const steered: string[] = [];
    const began = Promise.withResolvers<PromptTurn>();
    const store = createMemoryStore();
    await using served = new Served({
      store,
      capabilities: { steering: true, _meta: { other: 1 } },
      factory: scripted(
        async (turn) => {
          began.resolve(turn);
          await turn.cancelled;
        },
        {
          steer: ({ text }) => {
            steered.push(text);
            return text !== "no";
          },
        },
      ),
    });
    const { agentCapabilities } = await served.call("initialize", { protocolVersion: 1 });
    expect(agentCapabilities).toMatchObject({ _meta: { [STEERING]: {}, other: 1 } });
    const sessionId = await served.open();
    const steer = (text: string) =>
      served.call(STEER_METHOD, { sessionId, prompt: [{ type: "text", text }] });
    expect(await steer("early")).toEqual({ taken: false });
    const prompt = served.prompt(sessionId, "go");
    await began.promise;
    expect(await steer("left")).toEqual({ taken: true });
    expect(await steer("no")).toEqual({ taken: false });
    expect(await rejection(steer(""))).toMatchObject({ code: -32602 });
    await served.client.notify("session/cancel", { sessionId });
    expect(await steer("late")).toEqual({ taken: false });
    await prompt;
    expect(steered).toEqual(["left", "no"]);
    const { history } = (await store.read(sessionId)) ?? { history: [] };
    expect(JSON.stringify(history)).toMatch(/go.*left/);
  });

  it("cannot be steered where the agent does not offer it", async () => {
    await using served = new Served({ factory: echo });
    const sessionId = await served.open();
    const prompt = [{ type: "text", text: "left" }];
    expect(await rejection(served.call(STEER_METHOD, { sessionId, prompt }))).toMatchObject({
      code: -32601,
    });
  });

  it("waits for the running one under the rule queue, and is cancelled with it", async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    await using served = new Served({
      busy: "queue",
      factory: scripted(async (turn) => {
        order.push(turn.promptText);
        if (turn.promptText === "one") await gate.promise;
        if (turn.promptText === "three") await turn.cancelled;
      }),
    });
    const sessionId = await served.open();
    const one = served.prompt(sessionId, "one");
    const two = served.prompt(sessionId, "two");
    await vi.waitFor(() => expect(order).toEqual(["one"]));
    gate.resolve();
    await Promise.all([one, two]);
    const three = served.prompt(sessionId, "three");
    const four = served.prompt(sessionId, "four");
    await vi.waitFor(() => expect(order).toEqual(["one", "two", "three"]));
    await served.client.notify("session/cancel", { sessionId });
    expect(await Promise.all([three, four])).toEqual([
      { stopReason: "cancelled" },
      { stopReason: "cancelled" },
    ]);
    expect(order).toEqual(["one", "two", "three"]);
  });
});

describe("cancel", () => {
  it("in the same write as its prompt is not lost", async () => {
    const { factory } = endless();
    await using served = new Served({ factory });
    const sessionId = await served.open();
    const prompt = served.prompt(sessionId, "go");
    void served.client.notify("session/cancel", { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
  });

  it("answers the turn cancelled even when the session throws, and sends its last updates first", async () => {
    await using served = new Served({
      factory: scripted(async (turn) => {
        await turn.cancelled;
        void turn.text("stopping");
        throw new Error("aborted");
      }),
    });
    const sessionId = await served.open();
    const prompt = served.prompt(sessionId, "go");
    await served.client.notify("session/cancel", { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    expect(served.texts).toEqual(["stopping"]);
  });

  it("takes open questions back", async () => {
    const outcomes: unknown[] = [];
    await using served = new Served({
      factory: scripted(async (turn) => {
        const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
        outcomes.push(await turn.requestPermission({ toolCallId: "t" }, options));
      }),
    });
    const sessionId = await served.open();
    const prompt = served.prompt(sessionId, "go");
    await vi.waitFor(() =>
      expect(
        served.wire.some(({ message }) => message["method"] === "session/request_permission"),
      ).toBe(true),
    );
    await served.client.notify("session/cancel", { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    expect(outcomes).toEqual([{ outcome: "cancelled" }]);
    expect(served.wire.map(({ message }) => message["method"])).toContain("$/cancel_request");
  });
});

describe("a prompt that its client gives up", () => {
  it("by $/cancel_request ends as cancelled, and only that one", async () => {
    const { factory, began } = endless();
    await using served = new Served({ factory, busy: "queue" });
    const sessionId = await served.open();
    const controller = new AbortController();
    const params = { sessionId, prompt: [{ type: "text", text: "x" }] };
    const first = served.client.request("session/prompt", params);
    const second = rejection(
      served.client.request("session/prompt", params, { signal: controller.signal }),
    );
    const turn = await began;
    controller.abort();
    expect(await second).toMatchObject({ code: "aborted" });
    await vi.waitFor(() => expect(served.wire.at(-1)?.message["method"]).toBe("$/cancel_request"));
    expect(turn.signal.aborted).toBe(false);
    await served.client.notify("session/cancel", { sessionId });
    expect(await first).toEqual({ stopReason: "cancelled" });
  });
});

describe("a client that is gone", () => {
  it("does not make an agent fall over that does not wait for its updates", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { factory, began } = endless();
    const served = new Served({ factory });
    const sessionId = await served.open();
    void served.prompt(sessionId, "go").catch(() => {});
    const turn = await began;
    await served[Symbol.asyncDispose]();
    void turn.text("to nobody");
    await turn.text("to nobody");
    expect(await turn.requestPermission({ toolCallId: "t" }, [])).toEqual({ outcome: "cancelled" });
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a question", () => {
  const options = [
    { optionId: "once", name: "Once", kind: "allow_once" },
    { optionId: "keep", name: "Keep", kind: "allow_persistent" },
  ];
  const asking = () =>
    scripted(async (turn) => {
      await turn.text(
        JSON.stringify(await turn.requestPermission({ toolCallId: "t", title: "rm" }, options)),
      );
    });

  it.each([
    [
      "an option that was offered",
      { outcome: "selected", optionId: "keep" } as const,
      '{"outcome":"selected","optionId":"keep"}',
    ],
    [
      "an option that was not",
      { outcome: "selected", optionId: "other" } as const,
      '{"outcome":"cancelled"}',
    ],
    ["no outcome", undefined as never, '{"outcome":"cancelled"}'],
  ])("answered with %s", async (_, outcome, expected) => {
    await using served = new Served({ factory: asking() });
    served.onAsk = async () => outcome;
    await served.prompt(await served.open(), "go");
    expect(served.texts).toEqual([expected]);
  });

  it("that was answered elsewhere is taken back, and its turn goes on", async () => {
    const elsewhere = new AbortController();
    await using served = new Served({
      factory: scripted(async (turn) => {
        const { signal } = elsewhere;
        const withdrawn = await turn.requestPermission({ toolCallId: "t" }, options, { signal });
        const late = await turn.requestPermission({ toolCallId: "t" }, options, { signal });
        await turn.text(JSON.stringify([withdrawn, late, turn.signal.aborted]));
      }),
    });
    served.onAsk = () => {
      elsewhere.abort();
      return new Promise(() => {});
    };
    const sessionId = await served.open();
    expect(await served.prompt(sessionId, "go")).toEqual({ stopReason: "end_turn" });
    const cancelled = { outcome: "cancelled" };
    expect(served.texts).toEqual([JSON.stringify([cancelled, cancelled, false])]);
    const methods = served.wire.map(({ message }) => message["method"]);
    expect(methods.filter((method) => method === "session/request_permission")).toHaveLength(1);
    expect(methods).toContain("$/cancel_request");
  });

  it("with a signal of its own is cancelled with its turn all the same", async () => {
    const outcomes: unknown[] = [];
    const asked = Promise.withResolvers<void>();
    await using served = new Served({
      factory: scripted(async (turn) => {
        const { signal } = new AbortController();
        outcomes.push(await turn.requestPermission({ toolCallId: "t" }, options, { signal }));
      }),
    });
    served.onAsk = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const sessionId = await served.open();
    const prompt = served.prompt(sessionId, "go");
    await asked.promise;
    await served.client.notify("session/cancel", { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    expect(outcomes).toEqual([{ outcome: "cancelled" }]);
  });

  it("says allow_persistent as allow_always, and as it is only in compat mode", async () => {
    for (const compat of [false, true]) {
      await using served = new Served({ factory: asking(), compat });
      const asked: unknown[] = [];
      served.onAsk = async (request) => {
        asked.push(request.options[1]);
        return { outcome: "cancelled" };
      };
      await served.prompt(await served.open(), "go");
      expect(asked).toEqual([
        compat
          ? options[1]
          : { ...options[1], kind: "allow_always", _meta: { kind: "allow_persistent" } },
      ]);
    }
  });
});

describe("a session", () => {
  it("that speaks while it is opened is heard behind the answer", async () => {
    await using served = new Served({
      factory: {
        newSession({ sink }) {
          void sink.commands([{ name: "test", description: "Run the tests" }]);
          return { prompt: () => undefined };
        },
      },
    });
    await served.open();
    await vi.waitFor(() => expect(served.updates).toHaveLength(1));
    const out = served.wire.filter(({ direction }) => direction === "out");
    expect(out.map(({ message }) => message["method"] ?? "answer")).toEqual([
      "answer",
      "session/update",
    ]);
  });

  it("is replayed by load before the answer, and not by resume", async () => {
    const store = createMemoryStore();
    const first = new Served({
      store,
      factory: scripted(async (turn) => {
        await turn.thought("hm");
        await turn.text("Hel");
        await turn.text("lo");
        await turn.toolCall({ toolCallId: "t", title: "ls", status: "pending" });
        await turn.toolCallUpdate({ toolCallId: "t", status: "completed" });
        await turn.usage({ used: 1, size: 2 });
      }),
    });
    const sessionId = await first.open();
    await first.prompt(sessionId, "hi");
    await first[Symbol.asyncDispose]();

    const factory = scripted(() => undefined);
    await using second = new Served({ store, factory });
    expect(await second.call("session/resume", { sessionId, cwd: "/repo" })).toEqual({});
    expect(second.updates).toEqual([]);
    expect(factory.built[0]).toMatchObject({ opened: "resume", cwd: "/repo" });
    expect(await second.call("session/load", { sessionId, cwd: "/repo", mcpServers: [] })).toEqual(
      {},
    );
    expect(second.updates.map(({ update }) => update)).toEqual([
      { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hi" } },
      { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hello" } },
      { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", status: "completed" },
    ]);
    expect(factory.built).toHaveLength(1);
  });

  it.each(["..", ".", "", " a", "a/b", "../x", "a\u0000b", "é", 5, null])(
    "id %j is refused",
    async (sessionId) => {
      await using served = new Served({ factory: echo });
      for (const method of ["session/load", "session/resume", "session/delete"]) {
        const error = await rejection(
          served.call(method, { sessionId, cwd: "/repo", mcpServers: [] }),
        );
        expect(error).toMatchObject({ code: -32602 });
      }
    },
  );

  it("that is not stored cannot be loaded", async () => {
    await using served = new Served({ factory: echo });
    const error = await rejection(
      served.call("session/load", { sessionId: "x", cwd: "/", mcpServers: [] }),
    );
    expect(error).toMatchObject({ code: -32002, data: { sessionId: "x" } });
  });

  it("is closed and deleted without complaint when it is unknown", async () => {
    await using served = new Served({ factory: echo });
    expect(await served.call("session/close", { sessionId: "x" })).toEqual({});
    expect(await served.call("session/delete", { sessionId: "x" })).toEqual({});
  });

  it("that is deleted while it runs answers cancelled and leaves no file", async () => {
    const directory = await mkdtemp(join(tmpdir(), "acp-wire-"));
    try {
      const { factory, began } = endless();
      await using served = new Served({ factory, store: createFileStore(directory) });
      const sessionId = await served.open();
      const prompt = served.prompt(sessionId, "go");
      await began;
      await served.call("session/delete", { sessionId });
      expect(await prompt).toEqual({ stopReason: "cancelled" });
      expect(await readdir(directory)).toEqual([]);
      expect(await rejection(served.prompt(sessionId, "again"))).toMatchObject({ code: -32002 });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("lives in files from its first prompt on, with path, title and state", async () => {
    const directory = await mkdtemp(join(tmpdir(), "acp-wire-"));
    try {
      const one = new Served({
        store: createFileStore(directory),
        factory: scripted((turn) => turn.text("Hi").then(() => undefined), {
          snapshot: () => ({ n: 1 }),
        }),
      });
      await one.open();
      const sessionId = await one.open();
      for (const text of ["first\n prompt", "second"]) {
        const result = await one.prompt(sessionId, text);
        expect(result["_meta"]).toEqual({ transcriptPath: join(directory, `${sessionId}.jsonl`) });
      }
      await one[Symbol.asyncDispose]();

      const factory = scripted(() => undefined);
      await using two = new Served({ store: createFileStore(directory), factory });
      const { sessions } = await two.call<{ sessions: object[] }>("session/list", { cwd: "/repo" });
      expect(sessions).toEqual([
        { sessionId, cwd: "/repo", title: "first prompt", updatedAt: expect.stringMatching(/Z$/) },
      ]);
      await two.call("session/load", { sessionId, cwd: "/repo", mcpServers: [] });
      expect(two.texts).toEqual(["first\n prompt", "Hi", "second", "Hi"]);
      expect(factory.built[0]).toMatchObject({ opened: "load", state: { n: 1 } });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe("the list", () => {
  it("pages without losing or repeating any, the newest first", async () => {
    const store = createMemoryStore();
    for (let at = 0; at < 120; at++) {
      const updatedAt = new Date(at * 1_000).toISOString();
      await store.save({ info: { sessionId: `s${at}`, cwd: "/repo", updatedAt }, added: [] });
    }
    await using served = new Served({ store, factory: echo });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await served.call<{ sessions: { sessionId: string }[]; nextCursor?: string }>(
        "session/list",
        { cwd: "/repo", cursor },
      );
      seen.push(...page.sessions.map((session) => session.sessionId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => `s${119 - at}`));
  });

  it.each([[{ cwd: "relative" }], [{ cursor: "garbage" }], [{ cursor: 7 }]])(
    "refuses %j",
    async (params) => {
      await using served = new Served({ factory: echo });
      expect(await rejection(served.call("session/list", params))).toMatchObject({ code: -32602 });
    },
  );
});

describe("settings", () => {
  const session = () => {
    const options = [
      {
        id: "m",
        name: "Model",
        category: "model",
        type: "select" as const,
        currentValue: "a",
        options: [
          { value: "a", name: "A" },
          { value: "b", name: "B" },
        ],
      },
      { id: "fast", name: "Fast", type: "boolean" as const, currentValue: false },
    ];
    const modes = {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code" },
      ],
    };
    return scripted(() => undefined, {
      modes,
      configOptions: options,
      setMode: (mode) => {
        modes.currentModeId = mode;
      },
      setConfigOption: (id, value) => {
        const option = options.find((candidate) => candidate.id === id);
        if (option) option.currentValue = value;
      },
    });
  };

  it("come with a new session, and back whole when one changes", async () => {
    await using served = new Served({ factory: session() });
    const { sessionId, modes, configOptions } = await served.call<Record<string, unknown>>(
      "session/new",
      { cwd: "/" },
    );
    expect(modes).toMatchObject({ currentModeId: "ask" });
    expect(configOptions).toHaveLength(2);
    const changed = await served.call("session/set_config_option", {
      sessionId,
      configId: "fast",
      type: "boolean",
      value: true,
    });
    expect(changed["configOptions"]).toMatchObject([
      { id: "m" },
      { id: "fast", currentValue: true },
    ]);
    expect(await served.call("session/set_mode", { sessionId, modeId: "code" })).toEqual({});
    expect(await served.call("session/set_model", { sessionId, modelId: "b" })).toEqual({});
    const again = await served.call<Record<string, unknown>>("session/load", {
      sessionId,
      cwd: "/",
      mcpServers: [],
    });
    expect(again).toMatchObject({
      modes: { currentModeId: "code" },
      configOptions: [{ currentValue: "b" }, {}],
    });
  });

  it.each([
    ["session/set_mode", { modeId: "nope" }],
    ["session/set_model", { modelId: "nope" }],
    ["session/set_config_option", { configId: "nope", value: "a" }],
    ["session/set_config_option", { configId: "m", value: "nope" }],
    ["session/set_config_option", { configId: "fast", value: "yes" }],
  ])("%s refuses %j", async (method, params) => {
    await using served = new Served({ factory: session() });
    const sessionId = await served.open();
    expect(await rejection(served.call(method, { sessionId, ...params }))).toMatchObject({
      code: -32602,
    });
  });
});

describe("authentication", () => {
  it("is asked for with -32000 until it was done, and logout undoes it", async () => {
    let known = false;
    await using served = new Served({
      factory: echo,
      auth: {
        methods: [{ id: "key", name: "Key" }],
        needed: () => !known,
        authenticate: (_, meta) => {
          known = true;
          return meta;
        },
        logout: () => {
          known = false;
        },
      },
    });
    const init = await served.call("initialize", { protocolVersion: 1 });
    expect(init).toMatchObject({
      agentCapabilities: { auth: { logout: {} } },
      authMethods: [{ id: "key" }],
    });
    expect(await rejection(served.open())).toMatchObject({ code: -32000 });
    expect(await rejection(served.call("authenticate", { methodId: "x" }))).toMatchObject({
      code: -32602,
    });
    expect(await served.call("authenticate", { methodId: "key", _meta: { a: 1 } })).toEqual({
      _meta: { a: 1 },
    });
    await served.open();
    await served.call("logout");
    expect(await rejection(served.open())).toBeInstanceOf(RpcError);
  });
});

describe("the end of the input", () => {
  it("cancels turns, answers what is in flight, and closes every session", async () => {
    const closed: string[] = [];
    const { factory, began } = endless();
    const served = new Served({
      factory: {
        newSession: async (params) => ({
          ...(await factory.newSession(params)),
          close: (why) => void closed.push(why),
        }),
      },
    });
    const sessionId = await served.open();
    void served.prompt(sessionId, "go").catch(() => {});
    await began;
    await served[Symbol.asyncDispose]();
    expect(served.wire.at(-1)).toMatchObject({
      direction: "out",
      message: { result: { stopReason: "cancelled" } },
    });
    expect(closed).toEqual(["shutdown"]);
  });
});
