import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProcess } from "@acp-kit/acp-wire";
import { expect, onTestFinished, test, vi } from "vitest";
import { agentCommand, promptsIn, readRecord, scripts, waitFor } from "../../src/index.ts";
import { Listener } from "./listener.ts";

// Each test starts processes, and on a busy machine one takes seconds.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "testkit-agent-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function start(command: readonly string[]) {
  const agent = await AgentProcess.start({
    command,
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
  });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return agent;
}

test("the same script is the same command, and one file", () => {
  const directory = temporaryDirectory();
  const first = agentCommand(scripts.echo(), { directory });
  expect(agentCommand(scripts.echo(), { directory })).toEqual(first);
  expect(agentCommand(scripts.tool(), { directory })).not.toEqual(first);
  expect(readdirSync(directory)).toHaveLength(2);
});

test("a script that no agent can follow is refused before there is a file", () => {
  const directory = temporaryDirectory();
  expect(() => agentCommand([{ kind: "wait", ms: -1 }], { directory })).toThrow(
    "prompt[0] (wait).ms should be milliseconds",
  );
  expect(readdirSync(directory)).toEqual([]);
});

test("without a directory the agent starts all the same", async () => {
  const agent = await start(agentCommand([{ kind: "text", text: "hi" }]));
  const listener = new Listener();
  const { sessionId } = await agent.newSession("/", listener);
  await agent.prompt(sessionId, [{ type: "text", text: "x" }]);
  expect(listener.text).toBe("hi");
});

test("a record counts the prompts that reached the agent, over its death too", async () => {
  const directory = temporaryDirectory();
  const record = join(directory, "record");
  expect(readRecord(record)).toEqual([]);
  const store = join(directory, "sessions");
  const command = agentCommand(scripts.turns(scripts.dieAfter(1), scripts.echo()), {
    directory,
    record,
    store,
  });
  const first = await start(command);
  const { sessionId } = await first.newSession("/", new Listener());
  const dying = first.prompt(sessionId, [{ type: "text", text: "one" }]);
  await expect(dying).rejects.toMatchObject({ code: "agent_exited" });

  const second = await start(command);
  await second.resumeSession("/", sessionId, new Listener());
  await second.prompt(sessionId, [{ type: "text", text: "two" }]);
  expect(promptsIn(readRecord(record))).toEqual([
    { session: sessionId, text: "one" },
    { session: sessionId, text: "two" },
  ]);
  expect(readRecord(record).filter(({ kind }) => kind === "start")).toHaveLength(2);
});

test("speed divides the waits of a script", async () => {
  const agent = await start(agentCommand(scripts.chunks(11, 2, 1_000), { speed: 100 }));
  const { sessionId } = await agent.newSession("/", new Listener());
  const turn = agent.prompt(sessionId, [{ type: "text", text: "x" }]);
  await waitFor("ten seconds in a tenth of one", turn, 3_000);
});
