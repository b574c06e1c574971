import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { McpServerStdio } from "@acp-kit/acp-wire";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { KEY, RelayRun, relayRoot } from "./relay-run.ts";
import { within } from "./support.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));

test("C34: a tool server that outlives the relay goes on with the next one, with the same token", async () => {
  const root = relayRoot();
  const stateDir = join(root, "state");
  const record = join(root, "record.jsonl");
  const config = join(root, "relay.jsonc");
  const command = [process.execPath, "--conditions=@acp-kit/source", demoAgent];
  const settings = {
    bots: { shop: { surface: "poe", accessKeys: [KEY] } },
    agents: { demo: { command: [...command, "--speed", "1000", "--record", record] } },
    access: [{ users: ["u-ana"], role: "operator" }],
    stateDir,
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const start = () => new RelayRun(root, ["start", "--port", "0", "--config", config]);
  const first = start();
  const [, url = ""] = await first.says(/^ {2}(http:\S+) {2}bot shop/m);
  const headers = { "x-user": "u-ana", "x-prompt": "hello" };
  await (await fetch(url, { method: "POST", headers })).text();

  const { command: program, args, env } = serverIn(record);
  const client = new Client({ name: "test", version: "1" });
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  await client.connect(new StdioClientTransport({ command: program, args, env: variables }));
  onTestFinished(() => client.close());
  const status = async () => {
    const { content, isError } = await client.callTool({ name: "status", arguments: {} });
    const [{ text = "" } = {}] = content as { text?: string }[];
    return { text, isError };
  };
  const alive = { text: expect.stringContaining('"turn":"none"'), isError: false };
  expect(await status()).toEqual(alive);

  const serving = Number.parseInt(readlinkSync(join(stateDir, "door", "current")), 10);
  first.child.kill("SIGKILL");
  process.kill(serving, "SIGKILL");
  await first.ends();
  // One that is dying may still take a connection, and break it.
  await vi.waitFor(() => expect(() => process.kill(serving, 0)).toThrow("ESRCH"), 10_000);
  const waiting = status();
  const second = start();
  await second.says(/^ {2}(http:\S+) {2}bot shop/m);
  expect(await within(waiting)).toEqual(alive);

  // A stop closes the session, and the token ends with it.
  second.child.kill("SIGTERM");
  await second.ends();
}, 90_000);

/** The MCP server of the first session that a record of the demo agent has. */
function serverIn(record: string): McpServerStdio {
  const lines = readFileSync(record, "utf8").trimEnd().split("\n");
  type Fact = { method?: string; params?: { mcpServers: readonly McpServerStdio[] } };
  const facts = lines.map((line) => JSON.parse(line) as Fact);
  const server = facts.find(({ method }) => method === "session/new")?.params?.mcpServers[0];
  if (!server) throw new Error("the session has no server");
  return server;
}
