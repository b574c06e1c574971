import { once } from "node:events";
import { Writable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { Conn, ErrorCode, RpcError, type WireError } from "../src/index.ts";
import { connectPair } from "./pair.ts";
import { RawPeer, RawWire, rejection } from "./raw-peer.ts";

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe("an answer", () => {
  it.each([
    ["by its number", (id: unknown) => ({ id, result: 1 }), 1],
    [
      "when the peer echoes the id as a string",
      (id: unknown) => ({ id: String(id), result: 1 }),
      1,
    ],
    ["with the id behind the result", (id: unknown) => ({ result: 1, id }), 1],
    ["without a result", (id: unknown) => ({ id }), null],
    ["with error null beside the result", (id: unknown) => ({ id, result: 1, error: null }), 1],
  ])("is found %s", async (_, answer, expected) => {
    const peer = new RawPeer();
    const call = peer.conn.request("m");
    const [request] = await peer.received(1);
    peer.write(answer(request?.["id"]));
    expect(await call).toBe(expected);
  });

  it.each([
    [
      "an error",
      { code: -32001, message: "no", data: { a: 1 } },
      { code: -32001, message: "no", data: { a: 1 } },
    ],
    ["an error without a code", { message: "no" }, { code: -32603, message: "no" }],
    ["a string as its error", "no", { code: -32603, data: "no" }],
    ["an empty error", {}, { code: -32603 }],
  ])("that is %s rejects with RpcError", async (_, error, expected) => {
    const peer = new RawPeer();
    const call = rejection(peer.conn.request("m"));
    await peer.received(1);
    peer.write({ id: 1, error });
    expect(await call).toBeInstanceOf(RpcError);
    expect(await call).toMatchObject(expected);
  });

  it.each([
    ["an id that was never used", { id: 99, result: 1 }],
    ["no id", { error: { code: -32603, message: "something" } }],
    ["the id null", { id: null, error: { code: -32700, message: "parse" } }],
    ["an id of no known form", { id: "1x", result: 1 }],
  ])("with %s settles nothing and is counted", async (_, answer) => {
    const peer = new RawPeer();
    const call = peer.conn.request("m");
    await peer.received(1);
    peer.write(answer, { id: 1, result: "mine" });
    expect(await call).toBe("mine");
    expect(peer.conn.counters).toMatchObject({ strayAnswers: 1, lateAnswers: 0 });
  });

  it("that comes twice settles once", async () => {
    const peer = new RawPeer();
    const call = peer.conn.request("m");
    await peer.received(1);
    peer.write({ id: 1, result: "first" }, { id: 1, result: "second" });
    expect(await call).toBe("first");
    expect(peer.conn.counters.lateAnswers).toBe(1);
  });
});

describe("giving a request up", () => {
  it("by its signal tells the peer, rejects at once, and drops the late answer", async () => {
    const peer = new RawPeer();
    const controller = new AbortController();
    const call = rejection(peer.conn.request("m", {}, { signal: controller.signal }));
    await peer.received(1);
    controller.abort();
    expect(await call).toMatchObject({ code: "aborted", sent: true });
    const [, cancel] = await peer.received(2);
    expect(cancel).toEqual({
      jsonrpc: "2.0",
      method: "$/cancel_request",
      params: { requestId: 1 },
    });
    peer.write({ id: 1, result: "late" });
    await vi.waitFor(() => expect(peer.conn.counters.lateAnswers).toBe(1));
  });

  it("before it was sent sends nothing", async () => {
    const peer = new RawPeer();
    const call = peer.conn.request("m", {}, { signal: AbortSignal.abort() });
    expect(await rejection(call)).toMatchObject({ code: "aborted", sent: false });
    await nextTick();
    expect(peer.sent).toEqual([]);
  });

  it("after its time tells the peer too", async () => {
    const peer = new RawPeer();
    const call = rejection(peer.conn.request("m", {}, { timeoutMs: 10 }));
    expect(await call).toMatchObject({ code: "timeout" });
    const [, cancel] = await peer.received(2);
    expect(cancel?.["method"]).toBe("$/cancel_request");
  });

  it("leaves no listener on its signal when it is answered in time", async () => {
    const peer = new RawPeer();
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const call = peer.conn.request("m", {}, { signal: controller.signal, timeoutMs: 60_000 });
    await peer.received(1);
    peer.write({ id: 1, result: 1 });
    await call;
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

describe("a request of the peer", () => {
  const INTERNAL = { code: -32603, message: "Internal error" };

  it.each<[string, (context: { signal: AbortSignal }) => unknown, object]>([
    ["a value", () => ({ a: 1 }), { result: { a: 1 } }],
    ["a promise", async () => 5, { result: 5 }],
    ["nothing", () => undefined, { result: null }],
    [
      "an RpcError",
      () => {
        throw new RpcError(-32602, "bad", { at: 1 });
      },
      { error: { code: -32602, message: "bad", data: { at: 1 } } },
    ],
    [
      "another error, whose text stays here",
      () => {
        throw new Error("/home/me/key");
      },
      { error: INTERNAL },
    ],
    [
      "a rejection",
      async () => {
        throw new TypeError("x");
      },
      { error: INTERNAL },
    ],
    ["something that JSON cannot hold", () => 1n, { error: INTERNAL }],
    [
      "a cycle",
      () => {
        const cycle: { self?: object } = {};
        cycle.self = cycle;
        return cycle;
      },
      { error: INTERNAL },
    ],
  ])("is answered for a handler that gives %s", async (_, handler, answer) => {
    const peer = new RawPeer({}, (conn) =>
      conn.handle("m", (_params, context) => handler(context)),
    );
    peer.write({ id: "a", method: "m" });
    expect(await peer.received(1)).toEqual([{ jsonrpc: "2.0", id: "a", ...answer }]);
  });

  it.each([0, "7", "", null, -1, 1.5])("keeps its id %j", async (id) => {
    const peer = new RawPeer({}, (conn) => conn.handle("m", () => 1));
    peer.write({ id, method: "m" });
    expect(await peer.received(1)).toEqual([{ jsonrpc: "2.0", id, result: 1 }]);
  });

  it("for an unknown method is answered so, and an unknown notification is not", async () => {
    const peer = new RawPeer();
    peer.write({ method: "_x/note" }, { id: 1, method: "_x/ask" });
    expect(await peer.received(1)).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        error: { code: ErrorCode.methodNotFound, message: "Method not found: _x/ask" },
      },
    ]);
  });

  it.each([
    ["a method that is no string", { id: 3, method: 5 }, 3],
    ["an object as its id", { id: { a: 1 }, method: "m" }, null],
    ["a boolean as its id", { id: true, method: "m" }, null],
  ])("with %s is invalid", async (_, message, id) => {
    const peer = new RawPeer({}, (conn) => conn.handle("m", () => 1));
    peer.write(message);
    expect(await peer.received(1)).toMatchObject([
      { id, error: { code: ErrorCode.invalidRequest } },
    ]);
  });

  it("whose id is in use is not run, and the first one is answered once", async () => {
    const gate = Promise.withResolvers<string>();
    const handler = vi.fn(() => gate.promise);
    const peer = new RawPeer({}, (conn) => conn.handle("m", handler));
    peer.write({ id: 1, method: "m" }, { id: 1, method: "m" });
    expect(await peer.received(1)).toMatchObject([
      { id: null, error: { code: ErrorCode.invalidRequest } },
    ]);
    gate.resolve("one");
    expect((await peer.received(2))[1]).toEqual({ jsonrpc: "2.0", id: 1, result: "one" });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(peer.conn.counters.duplicateIds).toBe(1);
    peer.write({ id: 1, method: "m" });
    expect((await peer.received(3))[2]).toMatchObject({ id: 1, result: "one" });
  });

  it("that is cancelled aborts its handler's signal", async () => {
    const peer = new RawPeer({}, (conn) =>
      conn.handle(
        "m",
        (_params, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          ),
      ),
    );
    peer.write({ id: 1, method: "m" }, { method: "$/cancel_request", params: { requestId: 1 } });
    expect(await peer.received(1)).toMatchObject([
      { id: 1, error: { code: ErrorCode.requestCancelled } },
    ]);
  });

  it("that is cancelled before its turn is not run", async () => {
    const gate = Promise.withResolvers<void>();
    const handler = vi.fn();
    const peer = new RawPeer({}, (conn) => {
      conn.handle("m", handler);
      conn.handleNotify("slow", () => gate.promise);
    });
    const params = { sessionId: "s" };
    peer.write(
      { method: "slow", params },
      { id: 1, method: "m", params },
      { method: "$/cancel_request", params: { requestId: 1 } },
    );
    await nextTick();
    gate.resolve();
    expect(await peer.received(1)).toMatchObject([
      { id: 1, error: { code: ErrorCode.requestCancelled } },
    ]);
    expect(handler).not.toHaveBeenCalled();
  });

  it("may answer although it was cancelled", async () => {
    const peer = new RawPeer({}, (conn) =>
      conn.handle(
        "m",
        (_params, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve("done anyway"))),
      ),
    );
    peer.write({ id: 1, method: "m" }, { method: "$/cancel_request", params: { requestId: 1 } });
    expect(await peer.received(1)).toMatchObject([{ id: 1, result: "done anyway" }]);
  });
});

describe("handlers", () => {
  it("are replaced by later ones, and dispose only themselves", async () => {
    const { left, right } = connectPair();
    const first = right.handle("m", () => "first");
    const second = right.handle("m", () => "second");
    first[Symbol.dispose]();
    expect(await left.request("m")).toBe("second");
    second[Symbol.dispose]();
    expect(await rejection(left.request("m"))).toMatchObject({ code: ErrorCode.methodNotFound });
  });

  it("of * take what no other takes", async () => {
    const { left, right } = connectPair();
    const notes: string[] = [];
    right.handle("m", () => "own");
    right.handle("*", (params, { method }) => ({ method, params }));
    right.handleNotify("*", (_params, { method }) => void notes.push(method));
    await left.notify("note");
    expect(await left.request("m")).toBe("own");
    expect(await left.request("other", [1])).toEqual({ method: "other", params: [1] });
    expect(notes).toEqual(["note"]);
  });

  it("of notifications that throw or reject are reported, and stop nothing", async () => {
    const onHandlerError = vi.fn();
    const { left, right } = connectPair({}, { onHandlerError });
    const seen: unknown[] = [];
    right.handleNotify("throws", () => {
      throw new Error("one");
    });
    right.handleNotify("rejects", async () => {
      throw new Error("two");
    });
    right.handleNotify("fine", () => void seen.push(1));
    right.handle("end", () => 1);
    for (const method of ["throws", "rejects", "fine"]) void left.notify(method);
    await left.request("end");
    expect(seen).toEqual([1]);
    expect(
      onHandlerError.mock.calls.map(([error, method]) => [(error as Error).message, method]),
    ).toEqual([
      ["one", "throws"],
      ["two", "rejects"],
    ]);
  });
});

describe("input that is no message", () => {
  const BATCH = '[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]';
  it.each([
    ["report", "Welcome", []],
    ["report", "[1,2]", []],
    ["report", '{"level":"info"}', []],
    ["report", BATCH, [ErrorCode.invalidRequest]],
    ["report", '[{"jsonrpc":"2.0","id":1,"result":1}]', []],
    ["answer", "Welcome", [ErrorCode.parseError]],
    ["answer", '{"id":1,', [ErrorCode.parseError]],
    ["answer", "42", [ErrorCode.parseError]],
    ["answer", "[1,2]", [ErrorCode.invalidRequest]],
    ["answer", '{"level":"info"}', [ErrorCode.invalidRequest]],
    ["answer", BATCH, [ErrorCode.invalidRequest]],
  ] as const)("under the rule %s: %s", async (malformed, line, codes) => {
    const onNoise = vi.fn();
    const peer = new RawPeer({ malformed, onNoise }, (conn) => conn.handle("m", () => "good"));
    peer.write(line, "", { id: 9, method: "m" });
    const sent = await peer.received(codes.length + 1);
    expect(sent.slice(0, -1)).toMatchObject(codes.map((code) => ({ id: null, error: { code } })));
    expect(sent.at(-1)).toEqual({ jsonrpc: "2.0", id: 9, result: "good" });
    expect(onNoise.mock.calls).toEqual([[line]]);
    expect(peer.conn.counters.noise).toBe(1);
  });

  it("and an oversize line are counted and cost no good line", async () => {
    const onOversize = vi.fn();
    const peer = new RawPeer({ maxLineBytes: 50, onOversize }, (conn) => conn.handle("m", () => 1));
    peer.write(`{"method":"m","params":"${"x".repeat(100)}"}`, { id: 2, method: "m" });
    expect(await peer.received(1)).toMatchObject([{ id: 2 }]);
    expect(peer.conn.counters.oversize).toBe(1);
    expect(onOversize.mock.calls[0]?.[0]).toMatch(/^\{"method":"m"/);
  });

  it.each([
    ["the method last", (rest: string) => `{"id":"a","method":"m",${rest}}`, "a"],
    ["the id last", (rest: string) => `{"jsonrpc": "2.0", "method": "m", "id": 7, ${rest}}`, 7],
  ])(
    "do not let the peer wait for the answer to an oversize request with %s",
    async (_, line, id) => {
      const peer = new RawPeer({ maxLineBytes: 100 });
      peer.write(line(`"params":"${"x".repeat(100)}"`));
      expect(await peer.received(1)).toMatchObject([
        { id, error: { code: ErrorCode.invalidRequest } },
      ]);
    },
  );

  it.each([['{"jsonrpc":"2.0","id":1,"result":'], ['{"id":"1","error":']])(
    "fail the request whose answer is oversize: %s",
    async (start) => {
      const peer = new RawPeer({ maxLineBytes: 100 });
      const first = rejection(peer.conn.request("m"));
      const second = peer.conn.request("m");
      peer.write(`${start}"${"x".repeat(100)}"}`, { id: 2, result: "good" });
      expect(await first).toMatchObject({ code: "protocol", sent: true });
      expect(await second).toBe("good");
    },
  );
});

describe("hostile keys", () => {
  it("of a message reach no prototype", async () => {
    const peer = new RawPeer({}, (conn) => conn.handle("m", (params) => params));
    peer.write(
      '{"id":1,"method":"m","__proto__":{"polluted":1},"params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    );
    await peer.received(1);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each(["__proto__", "constructor", "toString"])("are ordinary as method %s", async (method) => {
    const peer = new RawPeer();
    peer.write({ id: 1, method }, { method });
    expect(await peer.received(1)).toMatchObject([{ error: { code: ErrorCode.methodNotFound } }]);
  });

  it.each(["__proto__", "constructor"])("are ordinary as session %s", async (sessionId) => {
    const order: string[] = [];
    const { left, right } = connectPair();
    right.handleNotify("n", async () => {
      await nextTick();
      order.push("note");
    });
    right.handle("end", () => order.push("end"));
    void left.notify("n", { sessionId });
    await left.request("end", { sessionId });
    expect(order).toEqual(["note", "end"]);
  });
});

describe("JSON.parse", () => {
  it("runs once for each line that may be a message, and never for another", async () => {
    const peer = new RawPeer({}, (conn) => conn.handleNotify("n", () => {}));
    const parse = vi.spyOn(JSON, "parse");
    peer.write({ method: "n" }, "banner", { method: "n", params: { deep: [1, { a: 2 }] } }, "", {
      method: "n",
    });
    await nextTick();
    expect(parse).toHaveBeenCalledTimes(3);
  });
});

describe("a peer that does not read", () => {
  /** An output that takes nothing until it is opened. */
  function blockedOutput() {
    let open: () => void = () => {};
    const writable = new Writable({
      highWaterMark: 1_024,
      decodeStrings: false,
      write: (_chunk, _encoding, callback) => {
        open = callback;
      },
    });
    return { writable, open: () => open() };
  }
  const input = () => new RawPeer().input;

  it("makes a sender wait, until it reads", async () => {
    const { writable, open } = blockedOutput();
    const conn = new Conn({ readable: input(), writable });
    await conn.notify("small");
    await nextTick();
    let taken = false;
    const large = conn.notify("large", "x".repeat(100_000)).then(() => {
      taken = true;
    });
    await nextTick();
    expect(taken).toBe(false);
    open();
    await nextTick();
    open();
    await large;
  });

  it("fails what does not fit into the queue, and only that", async () => {
    const { writable } = blockedOutput();
    const conn = new Conn({ readable: input(), writable }, { maxQueuedBytes: 10_000 });
    void conn.notify("first", "x".repeat(9_000)).catch(() => {});
    expect(await rejection(conn.notify("more", "x".repeat(2_000)))).toMatchObject({
      code: "overflow",
      sent: false,
    });
    expect(await rejection(conn.request("more", "x".repeat(2_000)))).toMatchObject({
      code: "overflow",
      sent: false,
    });
    void conn.notify("small").catch(() => {});
  });

  it("breaks the connection when an answer does not fit", async () => {
    const { writable } = blockedOutput();
    const onBroken = vi.fn();
    const peer = new RawPeer();
    const conn = new Conn({ readable: peer.input, writable }, { maxQueuedBytes: 10_000, onBroken });
    conn.handle("m", () => "x".repeat(6_000));
    void conn.serve();
    const pending = rejection(conn.request("x"));
    peer.write({ id: 1, method: "m" }, { id: 2, method: "m" }, { id: 3, method: "m" });
    expect(await pending).toMatchObject({ code: "overflow" });
    expect(onBroken).toHaveBeenCalledTimes(1);
    expect(await rejection(conn.notify("x"))).toMatchObject({ code: "overflow" });
  });

  it("for too long is stalled, and every call says so", async () => {
    const { writable } = blockedOutput();
    const onBroken = vi.fn<(error: WireError) => void>();
    const conn = new Conn({ readable: input(), writable }, { writeTimeoutMs: 20, onBroken });
    const request = rejection(conn.request("m", "x".repeat(2_000)));
    expect(await request).toMatchObject({ code: "stalled" });
    expect(onBroken.mock.calls[0]?.[0].code).toBe("stalled");
    expect(await rejection(conn.request("m"))).toMatchObject({ code: "stalled", sent: false });
    expect(await rejection(conn.notify("m"))).toMatchObject({ code: "stalled" });
  });

  it("any more breaks the connection with closed", async () => {
    const writable = new Writable({
      write: (_chunk, _encoding, callback) => callback(new Error("EPIPE")),
    });
    const onBroken = vi.fn<(error: WireError) => void>();
    const conn = new Conn({ readable: input(), writable }, { onBroken });
    expect(await rejection(conn.request("m"))).toMatchObject({
      code: "closed",
      cause: { message: "EPIPE" },
    });
    expect(onBroken).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["before the connection was made", true],
    ["while an answer was on its way", false],
  ])(
    "because its stream was closed %s takes nothing more, and no close waits for it",
    async (_, before) => {
      const peer = new RawWire();
      const close = () => {
        const closed = once(peer.output, "close");
        peer.output.destroy();
        return closed;
      };
      if (before) await close();
      const conn = new Conn(peer.io);
      conn.handle("late", () => "nobody reads this");
      void conn.serve();
      const answered = conn.request("m").catch((error: unknown) => error);
      if (!before) await close();
      peer.write({ id: 9, method: "late" });
      expect(await rejection(conn.notify("n"))).toMatchObject({ code: "closed", sent: false });
      expect(await rejection(conn.request("n"))).toMatchObject({ code: "closed", sent: false });
      peer.write({ id: 1, result: "said before" });
      if (before) expect(await answered).toMatchObject({ code: "closed", sent: false });
      else expect(await answered).toBe("said before");
      await conn.flush();
      await conn.close();
    },
  );
});

describe("a handler that does not finish", () => {
  it("stops the reading, not the memory, and reading goes on after it", async () => {
    const gate = Promise.withResolvers<void>();
    let handled = 0;
    const peer = new RawPeer({ maxWaitingMessages: 10 }, (conn) =>
      conn.handleNotify("n", async () => {
        await gate.promise;
        handled++;
      }),
    );
    for (let at = 0; at < 30; at++) peer.write({ method: "n" });
    await nextTick();
    expect(peer.input.isPaused()).toBe(true);
    gate.resolve();
    await vi.waitFor(() => expect(handled).toBe(30));
    expect(peer.input.isPaused()).toBe(false);
  });
});

describe("the end of the input", () => {
  it("fails what waits for an answer, answers what is in flight, and flushes", async () => {
    const peer = new RawPeer({}, (conn) =>
      conn.handle("slow", async () => {
        await nextTick();
        return "answered";
      }),
    );
    const waiting = rejection(peer.conn.request("m"));
    peer.write({ id: 1, method: "slow" });
    await peer.end();
    expect(await waiting).toMatchObject({ code: "closed" });
    expect(peer.sent.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: "answered" });
  });

  it("handles the notifications of the last chunk, and a last line without its end", async () => {
    const seen: unknown[] = [];
    const peer = new RawPeer({}, (conn) =>
      conn.handleNotify("n", (params) => void seen.push(params)),
    );
    peer.input.end('{"method":"n","params":1}\n{"method":"n","params":2}');
    await peer.served;
    expect(seen).toEqual([1, 2]);
  });

  it("aborts handlers that take longer than they may, and ends all the same", async () => {
    let aborted = false;
    const peer = new RawPeer({ drainMs: 20 }, (conn) =>
      conn.handle("forever", (_params, { signal }) => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        return new Promise(() => {});
      }),
    );
    peer.write({ id: 1, method: "forever" });
    await peer.end();
    expect(aborted).toBe(true);
    expect(peer.sent).toEqual([]);
  });

  it("by the signal of serve is an end like any other", async () => {
    const controller = new AbortController();
    const { input, output } = new RawPeer();
    const conn = new Conn({ readable: input, writable: output });
    const served = conn.serve(controller.signal);
    const waiting = rejection(conn.request("m"));
    controller.abort();
    await served;
    expect(await waiting).toMatchObject({ code: "closed" });
  });

  it("by an error of the stream fails calls with its cause", async () => {
    const peer = new RawPeer();
    const waiting = rejection(peer.conn.request("m"));
    peer.input.destroy(new Error("EIO"));
    expect(await waiting).toMatchObject({ code: "closed", cause: { message: "EIO" } });
    await peer.served;
  });

  it("by close ends the output and aborts handlers", async () => {
    const { left, right } = connectPair();
    const began = Promise.withResolvers<AbortSignal>();
    right.handle("m", (_params, { signal }) => {
      began.resolve(signal);
      return new Promise(() => {});
    });
    const call = rejection(left.request("m"));
    const signal = await began.promise;
    await right.close();
    expect(signal.aborted).toBe(true);
    expect(await call).toMatchObject({ code: "closed" });
  });
});

describe("the trace", () => {
  it("sees every message both ways, in wire order", async () => {
    const frames: [string, unknown][] = [];
    const peer = new RawPeer(
      { trace: (direction, message) => frames.push([direction, { ...message }]) },
      (conn) => conn.handle("m", () => 1),
    );
    const call = peer.conn.request("ask", { a: 1 });
    await peer.received(1);
    peer.write("noise", { id: 1, method: "m" }, { id: 1, result: 2 });
    await call;
    expect(frames).toMatchObject([
      ["out", { id: 1, method: "ask", params: { a: 1 } }],
      ["in", { id: 1, method: "m" }],
      ["out", { id: 1, result: 1 }],
      ["in", { id: 1, result: 2 }],
    ]);
  });
});

describe("a proxy of two connections", () => {
  it("hands on order, unknown members, error codes and cancelling", async () => {
    const agentSide = connectPair();
    const clientSide = connectPair();
    agentSide.left.forwardTo(clientSide.right);
    clientSide.right.forwardTo(agentSide.left);
    const [agent, client] = [agentSide.right, clientSide.left];
    const events: unknown[] = [];
    client.handleNotify("*", (params, { method }) => void events.push([method, params]));
    agent.handle("prompt", async () => {
      for (let at = 0; at < 3; at++) void agent.notify("_x/update", { at, vendor: { kept: true } });
      return { stopReason: "vendor" };
    });
    agent.handle("fails", () => {
      throw new RpcError(-32042, "no", { why: 1 });
    });
    const cancelled = Promise.withResolvers<void>();
    agent.handle("forever", (_params, { signal }) => {
      signal.addEventListener("abort", () => cancelled.resolve());
      return new Promise(() => {});
    });
    expect(await client.request("prompt")).toEqual({ stopReason: "vendor" });
    expect(events).toEqual([0, 1, 2].map((at) => ["_x/update", { at, vendor: { kept: true } }]));
    expect(await rejection(client.request("fails"))).toMatchObject({
      code: -32042,
      data: { why: 1 },
    });
    const controller = new AbortController();
    void client.request("forever", {}, { signal: controller.signal }).catch(() => {});
    await nextTick();
    controller.abort();
    await cancelled.promise;
  });
});

describe("a notification that nobody waits for", () => {
  it("does not end the program when it cannot be sent", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { writable } = { writable: new Writable({ highWaterMark: 1, write: () => {} }) };
    const conn = new Conn(
      { readable: new RawPeer().input, writable },
      { writeTimeoutMs: 10, maxQueuedBytes: 1_000 },
    );
    void conn.notify("waits for room", "x".repeat(100));
    await nextTick();
    void conn.notify("waits for room", "x".repeat(100));
    void conn.notify("does not fit", "x".repeat(2_000));
    await rejection(conn.request("m"));
    void conn.notify("comes too late");
    await nextTick();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a peer that is gone but for its pipe", () => {
  it("does not keep the connection for ever", async () => {
    vi.useFakeTimers();
    const peer = new RawPeer();
    const writable = new Writable({ highWaterMark: 1, write: () => {} });
    const conn = new Conn({ readable: peer.input, writable }, { writeTimeoutMs: 0 });
    void conn.notify("never taken");
    const served = conn.serve();
    peer.input.end();
    await vi.advanceTimersByTimeAsync(30_000);
    await served;
    vi.useRealTimers();
  });
});
