import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, client, ndJsonStream, RequestError, type Stream } from "@agentclientprotocol/sdk";
import * as sdk1 from "acp-sdk-1";
import { afterEach, describe, expect, it } from "vitest";
import { Conn, type ConnOptions } from "../src/index.ts";
import { fromSdkStream, toSdkStream } from "../src/sdk.ts";
import { agentFile, Listener, startAgent } from "./agents.ts";
import { createPair } from "./pair.ts";
import { rejection } from "./raw-peer.ts";

const text = (value: string) => [{ type: "text" as const, text: value }];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe.each([
  ["2.4", "sdk2-agent.mjs"],
  ["1.9", "sdk1-agent.mjs"],
])("our client with an agent on SDK %s", (_, file) => {
  it("opens, prompts with a question, lists, loads, resumes and closes", async () => {
    await using agent = await startAgent(file);
    expect(agent.info?.name).toMatch(/^sdk/);
    const listener = new Listener();
    listener.answer = async () => ({ outcome: "selected", optionId: "yes" });
    const { sessionId } = await agent.newSession("/tmp", listener);
    expect(await agent.prompt(sessionId, text("go"))).toEqual({ stopReason: "end_turn" });
    const chunks = Array.from({ length: 20 }, (_, at) => `${at} `);
    expect(listener.texts).toEqual([...chunks, '{"outcome":"selected","optionId":"yes"}']);
    expect(await agent.listSessions("/tmp")).toEqual([{ sessionId, cwd: "/tmp" }]);
    const loaded = new Listener();
    await agent.loadSession("/tmp", sessionId, loaded);
    expect(loaded.texts).toEqual(["before"]);
    await agent.resumeSession("/tmp", sessionId, loaded);
    await agent.closeSession(sessionId);
  });

  it("cancels a turn", async () => {
    await using agent = await startAgent(file);
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    const prompt = agent.prompt(sessionId, text("wait"));
    await listener.until(() => listener.texts.includes("waiting"));
    await agent.cancel(sessionId);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
  });

  it("sets what the agent has: a model by config option, a mode by set_mode", async () => {
    await using agent = await startAgent(file);
    const { sessionId, modes } = await agent.newSession("/tmp", new Listener());
    if (modes) await agent.setMode(sessionId, "code");
    else await agent.setModel(sessionId, "large");
  });
});

describe("our agent", () => {
  function startServed(): { stream: Stream; streamOf1: sdk1.Stream; stderr: () => string } {
    const child = spawn(process.execPath, [
      "--conditions=@acp-kit/source",
      agentFile("served-agent.ts"),
    ]);
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    cleanups.push(() => child.kill());
    const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    return {
      get stream() {
        return ndJsonStream(output, input);
      },
      get streamOf1() {
        return sdk1.ndJsonStream(output, input);
      },
      stderr: () => stderr,
    };
  }

  it("serves a client on SDK 2.4", async () => {
    const { stream, stderr } = startServed();
    const updates: string[] = [];
    const asked: unknown[] = [];
    const connection = client({ name: "sdk2" })
      .onNotification(
        "session/update",
        ({ params }) => void updates.push(params.update.sessionUpdate),
      )
      .onRequest("session/request_permission", ({ params }) => {
        asked.push(params.options.map((option) => option.kind));
        return { outcome: { outcome: "selected", optionId: "yes" } };
      })
      .connect(stream);
    const server = connection.agent;
    const init = await server.request("initialize", { protocolVersion: 1 });
    expect(init.agentInfo?.name).toBe("served-agent");
    const { sessionId, modes } = await server.request("session/new", {
      cwd: "/tmp",
      mcpServers: [],
    });
    expect(modes?.currentModeId).toBe("ask");
    await server.request("session/set_mode", { sessionId, modeId: "code" });
    expect(
      await server.request("session/prompt", { sessionId, prompt: text("hello world") }),
    ).toEqual({ stopReason: "end_turn" });
    expect(asked).toEqual([["allow_once", "allow_always", "reject_once"]]);
    expect(updates).toEqual([
      "available_commands_update",
      "current_mode_update",
      "agent_thought_chunk",
      "plan",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
      "agent_message_chunk",
      "agent_message_chunk",
      "usage_update",
    ]);
    updates.length = 0;
    await server.request("session/load", { sessionId, cwd: "/tmp", mcpServers: [] });
    expect(updates).toEqual([
      "user_message_chunk",
      "agent_thought_chunk",
      "plan",
      "tool_call",
      "agent_message_chunk",
    ]);
    const list = await server.request("session/list", { cwd: "/tmp" });
    expect(list.sessions).toMatchObject([{ sessionId, title: "hello world" }]);
    const waiting = server.request("session/prompt", { sessionId, prompt: text("wait") });
    await server.notify("session/cancel", { sessionId });
    expect(await waiting).toEqual({ stopReason: "cancelled" });
    await server.request("session/close", { sessionId });
    await server.request("session/resume", { sessionId, cwd: "/tmp" });
    await server.request("session/delete", { sessionId });
    expect(stderr()).toContain("a stray line on stdout");
    expect(stderr()).toContain("another stray line");
    connection.close();
  });

  it("serves a client on SDK 1.9", async () => {
    const { streamOf1 } = startServed();
    const updates: string[] = [];
    const server = new sdk1.ClientSideConnection(
      () => ({
        sessionUpdate: async ({ update }) => void updates.push(update.sessionUpdate),
        requestPermission: async () => ({ outcome: { outcome: "selected", optionId: "no" } }),
      }),
      streamOf1,
    );
    await server.initialize({ protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await server.newSession({ cwd: "/tmp", mcpServers: [] });
    expect(await server.prompt({ sessionId, prompt: text("hello") })).toEqual({
      stopReason: "end_turn",
    });
    expect(updates).toContain("tool_call_update");
    const waiting = server.prompt({ sessionId, prompt: text("wait") });
    await server.cancel({ sessionId });
    expect(await waiting).toEqual({ stopReason: "cancelled" });
    await server.loadSession({ sessionId, cwd: "/tmp", mcpServers: [] });
  });
});

describe("an SDK app on a connection of ours", () => {
  function connect(options: ConnOptions = {}) {
    const [left, right] = createPair();
    return { ours: new Conn(left, options), theirs: new Conn(right, options) };
  }

  it("client() and agent() work on both ends, with questions and cancelling", async () => {
    const { ours, theirs } = connect();
    const cancelled = Promise.withResolvers<void>();
    agent({ name: "a" })
      .onRequest("session/prompt", async ({ params, client }) => {
        const { sessionId } = params;
        const { outcome } = await client.request("session/request_permission", {
          sessionId,
          toolCall: { toolCallId: "t" },
          options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
        });
        await client.notify("session/update", {
          sessionId,
          update: {
            sessionUpdate: "agent_message_chunk",
            content: { type: "text", text: outcome.outcome },
          },
        });
        return { stopReason: "end_turn" };
      })
      .onRequest(
        "_x/forever",
        (value: unknown) => value,
        ({ signal }) => {
          // The SDK's cancel may overtake its request: then the signal has aborted by now.
          if (signal.aborted) cancelled.resolve();
          signal.addEventListener("abort", () => cancelled.resolve());
          return new Promise(() => {});
        },
      )
      .onRequest(
        "_x/fails",
        (value: unknown) => value,
        () => {
          throw new RequestError(-32042, "no", { why: "because" });
        },
      )
      .connect(toSdkStream(theirs));
    const texts: unknown[] = [];
    const connection = client({ name: "c" })
      .onNotification("session/update", ({ params }) => void texts.push(params.update))
      .onRequest("session/request_permission", () => ({ outcome: { outcome: "cancelled" } }))
      .connect(toSdkStream(ours));
    const { agent: peer } = connection;
    expect(await peer.request("session/prompt", { sessionId: "s", prompt: text("x") })).toEqual({
      stopReason: "end_turn",
    });
    expect(texts).toMatchObject([{ content: { text: "cancelled" } }]);
    expect(await rejection(peer.request("_x/fails", {}))).toMatchObject({
      code: -32042,
      message: "no",
      data: { why: "because" },
    });
    const controller = new AbortController();
    const forever = rejection(
      peer.request("_x/forever", {}, { cancellationSignal: controller.signal }),
    );
    controller.abort();
    await cancelled.promise;
    expect(await forever).toMatchObject({ code: -32800 });
    connection.close();
  });

  it("is handed only what the connection does not handle, so hot methods can be taken before it", async () => {
    const { ours, theirs } = connect();
    const taken: unknown[] = [];
    ours.handleNotify("session/update", (params) => void taken.push(params));
    const connection = client({ name: "c" }).connect(toSdkStream(ours));
    theirs.handle("session/prompt", (params) => {
      const { sessionId } = params as { sessionId: string };
      void theirs.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "vendor_thing", deep: { kept: true } },
      });
      return { stopReason: "vendor_reason" };
    });
    void theirs.serve();
    expect(
      await connection.agent.request("session/prompt", { sessionId: "s", prompt: [] }),
    ).toEqual({ stopReason: "vendor_reason" });
    expect(taken).toEqual([
      { sessionId: "s", update: { sessionUpdate: "vendor_thing", deep: { kept: true } } },
    ]);
    connection.close();
  });

  it("hears of the end of the connection", async () => {
    const { ours, theirs } = connect();
    const connection = client({ name: "c" }).connect(toSdkStream(ours));
    const waiting = rejection(
      connection.agent.request("session/new", { cwd: "/", mcpServers: [] }),
    );
    await theirs.close();
    expect(await waiting).toBeInstanceOf(Error);
    await connection.closed;
  });
});

describe("a connection of ours on an SDK stream", () => {
  it("talks to an SDK app, without bytes in between", async () => {
    const there = new TransformStream();
    const back = new TransformStream();
    agent({ name: "a" })
      .onRequest("session/prompt", () => ({ stopReason: "end_turn" }))
      .connect({ readable: there.readable, writable: back.writable });
    await using conn = fromSdkStream({ readable: back.readable, writable: there.writable });
    void conn.serve();
    const result = await conn.request("session/prompt", { sessionId: "s", prompt: text("x") });
    expect(result).toEqual({ stopReason: "end_turn" });
  });
});

describe("files of a store", () => {
  it("bring sessions back in a fresh process, without initialize", async () => {
    const directory = await mkdtemp(join(tmpdir(), "acp-wire-"));
    cleanups.push(() => rm(directory, { recursive: true }));
    const listener = new Listener();
    listener.answer = async () => ({ outcome: "selected", optionId: "yes" });
    const first = await startAgent("served-agent.ts", [directory]);
    const { sessionId } = await first.newSession("/tmp", listener);
    await first.prompt(sessionId, text("hello"));
    await first[Symbol.asyncDispose]();
    await using second = await startAgent("served-agent.ts", [directory]);
    expect(await second.listSessions("/tmp")).toMatchObject([{ sessionId, title: "hello" }]);
    const replay = new Listener();
    await second.loadSession("/tmp", sessionId, replay);
    // What the session says when it is open may or may not have come by now.
    const kinds = replay.updates.map(({ update }) => update.sessionUpdate);
    expect(kinds.filter((kind) => kind !== "available_commands_update")).toEqual([
      "user_message_chunk",
      "agent_thought_chunk",
      "plan",
      "tool_call",
      "agent_message_chunk",
    ]);
  });
});
