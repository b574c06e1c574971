import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { FakeDcode } from "@acp-kit/testkit";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, it, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";
import { NODE, program, Rig, text } from "./rig.ts";

const run = promisify(execFile);

describe("dcode-acp", () => {
  const [node = "", ...flags] = NODE;

  it("tells its flags and its version", async () => {
    const help = await run(node, [...flags, program, "--help"]);
    expect(help.stdout).toContain("--token-file F");
    const version = await run(node, [...flags, program, "--version"]);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("ends with a sentence for a flag that it does not know, and for a foreign protocol", async () => {
    await expect(run(node, [...flags, program, "--nope"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^dcode-acp: .*--nope.*\n$/),
    });
    await using daemon = await FakeDcode.start({ protocol: "v2" });
    const args = [...flags, program, "--socket", daemon.socketPath];
    await expect(run(node, args)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^dcode-acp: The daemon at \S+ speaks protocol v2, .*\n$/),
    });
  });

  it("says in one sentence that there is no daemon", async () => {
    const child = spawn(node, [...flags, program, "--socket", "/nowhere/dcode.sock"]);
    child.stdin.end();
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += String(chunk);
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toMatch(
      /^dcode-acp: No dcode daemon listens at \/nowhere\/dcode\.sock; start one with `dcode serve`[^\n]*\.\n$/,
    );
  });
});

describe("the command line", () => {
  const read = (argv: string[], env: Record<string, string> = {}) =>
    readCommandLine({ argv, env, uid: 7, home: "/h", readFile: () => "secret\n" });

  test.each([
    [[], {}, ["/run/user/7/dcode.sock", "/tmp/dcode-7.sock", "/tmp/dcode-7/dcode.sock"]],
    [[], { XDG_RUNTIME_DIR: "/run/7" }, ["/run/7/dcode.sock", "/tmp/dcode-7/dcode.sock"]],
    [[], { DCODE_SOCKET: "/d.sock" }, ["/d.sock"]],
    [["--socket", "/s.sock"], { DCODE_SOCKET: "/d.sock" }, ["/s.sock"]],
  ])("%j with %j looks for the daemon at %j", (argv, env, paths) => {
    expect(read(argv, env as Record<string, string>)).toEqual({
      kind: "serve",
      addresses: paths.map((socketPath) => ({ socketPath })),
      directory: "/h/.local/state/dcode-acp",
    });
  });

  test("a URL may have a token, which comes from a file", () => {
    expect(read(["--url", "http://h:1", "--token-file", "t", "--state", "/s"])).toEqual({
      kind: "serve",
      addresses: [{ url: "http://h:1", token: "secret" }],
      directory: "/s",
    });
    expect(read(["--url", "http://h:1"])).toMatchObject({ addresses: [{ url: "http://h:1" }] });
  });

  test.each([
    [["--socket", "/s", "--url", "http://h"], "--socket or --url, not both"],
    [["--token-file", "t"], "--token-file needs --url"],
  ])("%j is refused", (argv, sentence) => {
    expect(() => read(argv)).toThrow(sentence);
  });
});

test("a client on SDK 2.4 opens, prompts with a question, lists, loads, cancels, closes and resumes", async () => {
  await using rig = await Rig.start({
    script: ({ text }) =>
      text === "wait"
        ? [{ kind: "wait", gate: "never" }]
        : [
            {
              kind: "tools",
              calls: [
                {
                  name: "write",
                  input: { path: "a.txt", content: "A\n" },
                  ask: { boundary: "rule:write", rule: "*.txt" },
                  result: { output: "created a.txt" },
                },
              ],
            },
            { kind: "say", text: "Done." },
          ],
  });
  const [node = "", ...args] = rig.command;
  const child = spawn(node, args, { stdio: ["pipe", "pipe", "inherit"] });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const updates: { sessionUpdate: string; content?: unknown }[] = [];
  const asked: string[][] = [];
  const connection = client({ name: "sdk2" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(params.options.map(({ optionId, kind }) => `${optionId} ${kind}`));
      return { outcome: { outcome: "selected", optionId: "allow" } };
    })
    .connect(stream);
  const server = connection.agent;
  const { agentInfo, agentCapabilities } = await server.request("initialize", {
    protocolVersion: 1,
  });
  expect(agentInfo?.name).toBe("dcode-acp");
  expect(agentCapabilities?.promptCapabilities).toMatchObject({ image: true, audio: false });
  const { sessionId, modes, configOptions } = await server.request("session/new", {
    cwd: rig.cwd,
    mcpServers: [],
  });
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["plan", "assist", "auto"]);
  expect(configOptions).toMatchObject([{ id: "mode", category: "mode", currentValue: "assist" }]);
  const answer = await server.request("session/prompt", { sessionId, prompt: text("go") });
  expect(answer).toMatchObject({ stopReason: "end_turn" });
  // Only the network is asked about for longer than a session.
  expect(asked).toEqual([["allow allow_once", "allow_session allow_always", "deny reject_once"]]);
  const diff = { type: "diff", path: join(rig.cwd, "a.txt"), oldText: null, newText: "A\n" };
  expect(updates.flatMap(({ content }) => content ?? [])).toContainEqual(diff);
  await server.request("session/set_mode", { sessionId, modeId: "plan" });
  const { sessions } = await server.request("session/list", { cwd: rig.cwd });
  expect(sessions).toMatchObject([{ sessionId, title: "go" }]);
  updates.length = 0;
  await server.request("session/load", { sessionId, cwd: rig.cwd, mcpServers: [] });
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "tool_call",
    "agent_message_chunk",
  ]);
  const waiting = server.request("session/prompt", { sessionId, prompt: text("wait") });
  await server.notify("session/cancel", { sessionId });
  expect(await waiting).toMatchObject({ stopReason: "cancelled" });
  await server.request("session/close", { sessionId });
  await server.request("session/resume", { sessionId, cwd: rig.cwd });
  await server.request("session/delete", { sessionId });
  expect((await server.request("session/list", {})).sessions).toEqual([]);
  connection.close();
  child.stdin.end();
  await new Promise((resolve) => child.on("close", resolve));
});
