import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, DEFAULT_OPTIONS, type Router } from "@acp-kit/router";
import { createDownloads } from "@acp-kit/router/attachments";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { expect, test } from "vitest";
import { erase } from "../src/cli/commands/erase.ts";
import { createFileLending } from "../src/files/lent-files.ts";
import { LoanBook } from "../src/files/loan-book.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { openRelayDb } from "../src/relay-db.ts";
import { RELAY_TABLES } from "../src/relay-tables.ts";
import { createWorkspaces } from "../src/workspaces.ts";
import { temporaryDirectory } from "./support.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));
const CONVERSATION = "poe/shop/c-1";

/** Sends a message with one file, whose content is its path, to an agent that sends it back. */
async function say(router: Router, user: string, url: string): Promise<void> {
  const attachment = { url, name: "f.txt", contentType: "text/plain", parsedContent: "" };
  const key = `m-${user}`;
  const { turn, after } = await router.submit(CONVERSATION, {
    kind: "prompt",
    key,
    user,
    query: [{ role: "user", content: user, messageId: key, attachments: [attachment] }],
    options: DEFAULT_OPTIONS,
    repeat: "attach",
    at: Date.now(),
  });
  const cursor = router.log(CONVERSATION).follow({ after, turn }, AbortSignal.timeout(30_000));
  while (await cursor.next());
}

function contentsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .sort();
}

test("after a person is erased their files are gone from a conversation with others and from its workspace, and so is what was sent to them", async () => {
  const root = temporaryDirectory();
  const stateDir = join(root, "state");
  const cwd = join(root, "work");
  mkdirSync(cwd);
  const server = createServer(({ url }, response) => response.end(url));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  {
    await using store = await openSqliteStore({ directory: stateDir });
    const content = { type: "resource", resource: { uri: "x:a.txt", text: "sent to {{prompt}}" } };
    const script = {
      prompt: [{ kind: "update", update: { sessionUpdate: "agent_message_chunk", content } }],
    };
    const file = join(root, "script.json");
    writeFileSync(file, JSON.stringify(script));
    await using agent = new AgentSupervisor({
      command: [process.execPath, "--conditions=@acp-kit/source", demoAgent, "--script", file],
      hostEnv: process.env,
      clientInfo: { name: "relay-test", version: "0" },
    });
    await using downloads = createDownloads({
      hosts: ["127.0.0.1"],
      schemes: ["http:"],
      ports: [port],
      isAddressAllowed: () => true,
    });
    const workspaces = await createWorkspaces({
      workspaces: { scratch: { isolation: "scratch", permissions: "ask" } },
      stateDir,
      home: root,
    });
    await using db = await openRelayDb(stateDir, RELAY_TABLES);
    const book = new LoanBook(db);
    const log = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });
    const about = { book, identity: {}, path: process.env["PATH"], log, now: Date.now };
    await using router = createRouter({
      agent,
      store,
      stateDir,
      workspaceFor: async (conversation) => {
        const { filesDir } = await workspaces.workspaceFor("scratch", conversation);
        const lending = createFileLending({ ...about, conversation, cwd, filesDir });
        return { cwd, roots: [filesDir], filesDir, lending };
      },
      downloads: () => downloads,
    });
    await say(router, "u-ana", `http://127.0.0.1:${port}/of-ana`);
    await say(router, "u-bob", `http://127.0.0.1:${port}/of-bob`);
  }
  const files = join(stateDir, "files");
  const all = ["/of-ana", "/of-bob", "sent to u-ana", "sent to u-bob"];
  expect(contentsBelow(files)).toEqual(all);
  const lent = ["/of-ana", "/of-bob"];
  expect(contentsBelow(cwd)).toEqual(lent);
  await erase(stateDir, { user: "u-ana" }, true);
  expect(contentsBelow(files)).toEqual(all);
  expect(contentsBelow(cwd)).toEqual(lent);
  await erase(stateDir, { user: "u-ana" }, false);
  expect(contentsBelow(files)).toEqual(["/of-bob", "sent to u-bob"]);
  expect(contentsBelow(cwd)).toEqual(["/of-bob"]);
  await erase(stateDir, { conversation: CONVERSATION }, false);
  expect(readdirSync(cwd)).toEqual([]);
  await new Promise((done) => server.close(done));
});
