import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, DEFAULT_OPTIONS, type LogEvent, MemoryStore } from "@acp-kit/router";
import { onTestFinished } from "vitest";
import { Door } from "../src/door/door.ts";
import { createDoorActions, type DoorActionsOptions } from "../src/door/door-actions.ts";
import type { DoorTool } from "../src/door/door-contract.ts";
import { doorTables } from "../src/door/door-tokens.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { openRelayDb } from "../src/relay-db.ts";

const toolAgent = fileURLToPath(new URL("./fixtures/tool-agent.ts", import.meta.url));

export const silent = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });

export type DoorRigOptions = {
  readonly tools?: readonly DoorTool[];
  readonly mayChoose?: DoorActionsOptions["people"]["mayChoose"];
};

/** A router with an agent that starts its MCP server, and the door behind that. */
export async function startDoorRig(options: DoorRigOptions = {}) {
  const { tools = ["attach", "status"], mayChoose = () => true } = options;
  // Short: a socket has its path in it.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "door-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const stateDir = join(root, "state");
  const cwd = join(root, "work");
  mkdirSync(stateDir);
  mkdirSync(cwd);
  const db = await openRelayDb(stateDir, [doorTables]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  const door = new Door({ stateDir, db, tools, reaches: () => true, now: Date.now, log: silent });
  const agent = new AgentSupervisor({
    command: [process.execPath, "--conditions=@acp-kit/source", toolAgent],
    hostEnv: process.env,
    clientInfo: { name: "door-test", version: "0" },
  });
  const router = createRouter({
    agent,
    agents: new Map([["tools", agent]]),
    store: new MemoryStore(),
    stateDir,
    workspaceFor: () => ({ cwd, roots: [], filesDir: join(root, "files") }),
    sessionServers: door.servers,
    mayChoose,
  });
  onTestFinished(async () => {
    await router[Symbol.asyncDispose]();
    await agent[Symbol.asyncDispose]();
    await door[Symbol.asyncDispose]();
  });
  const projectOf = () => "shop";
  await door.open(createDoorActions({ router, people: { mayChoose }, projectOf, now: Date.now }));
  const eventsOf = async (conversation: string): Promise<readonly LogEvent[]> => {
    const log = router.log(conversation);
    const last = await log.last();
    const events: LogEvent[] = [];
    await using cursor = log.follow({ after: 0 });
    while (cursor.seq < last) events.push(...((await cursor.next()) ?? []));
    return events;
  };
  let messages = 0;
  return {
    ...{ root, stateDir, cwd, db, door, router, eventsOf },
    /** Names of the files that the log shows in a conversation. */
    async filesOf(conversation: string): Promise<readonly string[]> {
      const events = await eventsOf(conversation);
      return events.flatMap((event) => (event.kind === "file" ? event.name : []));
    },
    /** What the agent answers to a message. */
    async ask(content: string, conversation = "poe/shop/c-1"): Promise<string> {
      messages += 1;
      const key = `m-${messages}`;
      const { turn, after } = await router.submit(conversation, {
        kind: "prompt",
        key,
        user: "u-ana",
        query: [{ role: "user", content, messageId: key, attachments: [] }],
        options: DEFAULT_OPTIONS,
        repeat: "attach",
        at: Date.now(),
      });
      const events: LogEvent[] = [];
      for await (const batch of router.log(conversation).follow({ after, turn })) {
        events.push(...batch);
      }
      const end = events.at(-1);
      if (end?.kind !== "turn-end" || end.outcome.kind !== "completed") {
        throw new Error(`the turn did not end well: ${JSON.stringify(end)}`);
      }
      return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
    },
  };
}
