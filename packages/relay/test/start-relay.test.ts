import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../src/config/read-config.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { createSettings, type StartFlags } from "../src/settings.ts";
import { startRelay } from "../src/start-relay.ts";
import { openStateDir } from "../src/state-dir.ts";
import { rejection, temporaryDirectory } from "./support.ts";
import { testApp } from "./test-app.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));
const KEY = "k".repeat(32);
const TOKEN = "t".repeat(32);

/** A relay of one bot with the demo agent, in a shared workspace. */
async function prepared(flags: Partial<StartFlags> = {}, agent: object = {}) {
  const root = temporaryDirectory();
  const repo = join(root, "repo");
  mkdirSync(repo);
  const record = join(root, "record.jsonl");
  const file = join(root, "etc", "relay.jsonc");
  mkdirSync(join(root, "etc"));
  const command = [process.execPath, "--conditions=@acp-kit/source", demoAgent];
  const config = {
    bots: { shop: { surface: "poe", accessKeys: [KEY] } },
    agents: { demo: { command: [...command, "--speed", "1000", "--record", record], ...agent } },
    workspaces: { repo: { isolation: "shared", path: repo } },
    access: [{ users: ["u-ana", "u-bob"], role: "user" }],
    listen: { port: 0 },
    private: { port: 0, token: TOKEN },
    stateDir: join(root, "state"),
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const loaded = { ...(await readConfig(file, {})), file };
  const settings = createSettings({
    app: testApp,
    flags: { instance: "default", ...flags },
    loaded,
    createKey: () => "",
  });
  const stateDir = await openStateDir(join(root, "state"));
  onTestFinished(() => stateDir[Symbol.asyncDispose]());
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ level: "info", write, redactor: new Redactor() });
  const env = { PATH: process.env["PATH"], HOME: join(root, "home") };
  return {
    start: () => startRelay({ app: testApp, settings, env, log, stateDir: stateDir.path }),
    root,
    repo,
    record,
    lines,
  };
}

test("a prompt reaches the bot's agent in the bot's workspace, and stopping leaves nothing behind", async () => {
  const { start, repo, record, lines } = await prepared();
  const relay = await start();
  onTestFinished(() => relay.stop());
  if (relay.publicAddress.kind !== "tcp" || relay.privateAddress.kind !== "tcp") {
    throw new TypeError("both listen on TCP");
  }
  const response = await fetch(`http://127.0.0.1:${relay.publicAddress.port}/poe`, {
    method: "POST",
    headers: { "x-user": "u-ana", "x-prompt": "hello" },
  });
  expect(await response.text()).toContain("It works");

  type Fact = { method?: string; pid: number; params?: { cwd?: string } };
  const facts = readFileSync(record, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fact);
  expect(facts.find(({ method }) => method === "session/new")?.params?.cwd).toBe(repo);

  const sessions = await fetch(`http://127.0.0.1:${relay.privateAddress.port}/debug/sessions`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(sessions.headers.get("cache-control")).toBe("no-store");
  expect(await sessions.json()).toEqual({
    sessions: [
      {
        conv_id: "poe/shop/c-1",
        user_id: "u-ana",
        session_id: expect.any(String),
        cwd: repo,
        last_used: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ],
    count: 1,
  });

  const metrics = await fetch(`http://127.0.0.1:${relay.privateAddress.port}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const measured = await metrics.text();
  expect(measured).toContain('acp_relay_turn_seconds_count{outcome="completed"} 1');
  expect(measured).not.toMatch(/c-1|u-ana/);

  const pid = facts[0]?.pid ?? 0;
  expect(() => process.kill(pid, 0)).not.toThrow();
  await relay.stop();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");

  const ended = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "turn ended");
  expect(ended).toMatchObject({
    outcome: "completed",
    conversation: expect.stringMatching(/^\w{12}$/),
  });
  expect(lines.join("")).not.toMatch(/hello|c-1|It works/);
}, 60_000);

test("a start that fails gives back what it had taken", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const { start, root } = await prepared({ port });
  expect(await rejection(start())).toMatchObject({ code: "port_taken" });
  expect(readdirSync(join(root, "state", "owners"))).toEqual([]);
  expect(readdirSync(join(root, "state"))).not.toContain("private.sock");
});

test("an agent with a home for each person starts once for each, and none before somebody writes", async () => {
  const { start, root, record } = await prepared({}, { home: "per-user", maxProcesses: 2 });
  const relay = await start();
  onTestFinished(() => relay.stop());
  if (relay.publicAddress.kind !== "tcp") throw new TypeError("it listens on TCP");
  const url = `http://127.0.0.1:${relay.publicAddress.port}/poe`;
  expect(existsSync(record)).toBe(false);
  for (const [at, user] of ["u-ana", "u-bob", "u-ana"].entries()) {
    const headers = { "x-user": user, "x-prompt": `hello ${at}` };
    const text = await (await fetch(url, { method: "POST", headers })).text();
    expect(text).toMatch(/It works|Done/);
  }
  const facts = readFileSync(record, "utf8").trimEnd().split("\n");
  const pids = facts.map((line) => (JSON.parse(line) as { pid: number }).pid);
  expect(new Set(pids).size).toBe(2);
  const homes = readdirSync(join(root, "state", "homes", "demo"));
  expect(homes).toHaveLength(2);
  expect(homes.join()).not.toMatch(/ana|bob/);
  await relay.stop();
  for (const pid of new Set(pids)) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
