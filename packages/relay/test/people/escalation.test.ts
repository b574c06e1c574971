import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRouter, DEFAULT_OPTIONS, type LogEvent, type Router } from "@acp-kit/router";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAgents, findAgentPrograms } from "../../src/agents.ts";
import { PolicyBook } from "../../src/commands/policy-book.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { createFiles } from "../../src/files/create-files.ts";
import { createLog } from "../../src/log.ts";
import { openStore } from "../../src/open-store.ts";
import { createPeople, type People } from "../../src/people/people.ts";
import { createRecords } from "../../src/records.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { RELAY_TABLES } from "../../src/relay-tables.ts";
import { createRouterConfig, findBot } from "../../src/router-config.ts";
import { createSettings } from "../../src/settings.ts";
import { createWorkspaceLocks } from "../../src/workspace-locks.ts";
import { createPlaces, type Places } from "../../src/workspaces/places.ts";
import { DEADLINE_MS, temporaryDirectory } from "../support.ts";
import { testApp } from "../test-app.ts";

vi.setConfig({ testTimeout: 2 * DEADLINE_MS });

const demoAgent = fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url));

const script = {
  agent: {
    modes: [
      { id: "ask", name: "Ask" },
      { id: "bypass", name: "Bypass" },
    ],
    models: [
      { id: "haiku", name: "Haiku" },
      { id: "opus", name: "Opus" },
    ],
  },
  prompt: [
    {
      kind: "when",
      says: "escalate",
      steps: [
        {
          kind: "update",
          update: { sessionUpdate: "current_mode_update", currentModeId: "bypass" },
        },
      ],
    },
    {
      kind: "update",
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: ["yolo", "compact"].map((name) => ({ name, description: "" })),
      },
    },
    { kind: "text", text: "{{model}} in {{mode}} on {{prompt}}" },
  ],
};

/** The relay's own router over a real agent, as `start` puts them together. */
async function open() {
  const root = temporaryDirectory();
  const stateDir = join(root, "state");
  mkdirSync(stateDir);
  writeFileSync(join(root, "script.json"), JSON.stringify(script));
  const command = [process.execPath, "--conditions=@acp-kit/source", demoAgent];
  const config = {
    bots: {
      shop: { surface: "poe", accessKeys: ["k".repeat(32)], agent: "demo" },
      spare: { surface: "poe", path: "/spare", accessKeys: ["k".repeat(32)], agent: "other" },
    },
    agents: {
      demo: { command: [...command, "--script", join(root, "script.json")] },
      other: { command },
    },
    access: [
      { users: ["u-op"], role: "operator" },
      { users: ["u-ana"], models: ["haiku"] },
    ],
  };
  const file = join(root, "relay.jsonc");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const loaded = { ...(await readConfig(file, {})), file };
  const flags = { instance: "default" };
  const settings = createSettings({ app: testApp, flags, loaded, createKey: () => "" });
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ level: "info", write, redactor: new Redactor() });
  const env = { PATH: process.env["PATH"] };
  const programs = await findAgentPrograms(settings.agents, env.PATH);
  const client = { name: "test", version: "0" };
  const agents = await createAgents({ settings, programs, env, stateDir, client, log });
  const store = await openStore(stateDir, "process");
  const db = await openRelayDb(stateDir, RELAY_TABLES);
  const locks = createWorkspaceLocks(stateDir);
  const places: Places = await createPlaces({
    ...{ settings, env, log, stateDir, db, locks },
    home: root,
    people: () => people,
    router: () => router,
    now: Date.now,
  });
  const people: People = createPeople({
    db,
    app: "poe-relay",
    rules: settings.access,
    limits: settings.limits,
    isDemo: false,
    workspaceOf: (conversation) => findBot(settings, conversation).workspace,
    boundsOf: (conversation) => findBot(settings, conversation),
    now: Date.now,
    onDecision: () => {},
  });
  const files = createFiles({
    attachments: settings.attachments,
    botOf: (conversation) => findBot(settings, conversation),
  });
  const policies = new PolicyBook(db);
  const records = await createRecords({
    ...{ db, settings, stateDir, log, app: "poe-relay", now: Date.now },
    roleOf: () => undefined,
    projectOf: (conversation) => findBot(settings, conversation).workspace,
  });
  const router: Router = createRouter(
    createRouterConfig({
      ...{ settings, agents, places, files, people, policies, store, stateDir, log },
      lockWorkspace: locks.lock,
      ...{ records, sessionServers: { open: () => [], close() {} } },
    }),
  );
  onTestFinished(async () => {
    await router[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
    await records[Symbol.asyncDispose]();
    await people.usage[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    for (const agent of agents.values()) await agent[Symbol.asyncDispose]();
  });
  return { router, people, lines };
}

const conversation = "poe/shop/c-1";
let sent = 0;

/** What a turn said, and what the relay said in it. */
async function ask(router: Router, user: string, text: string, model = "") {
  sent += 1;
  const query = [{ role: "user" as const, content: text, messageId: `m-${sent}`, attachments: [] }];
  const { turn, after } = await router.submit(conversation, {
    kind: "prompt",
    key: `m-${sent}`,
    user,
    query,
    options: { ...DEFAULT_OPTIONS, model },
    repeat: "attach",
    at: Date.now(),
  });
  const events: LogEvent[] = [];
  for await (const batch of router.log(conversation).follow({ after, turn })) events.push(...batch);
  const own = events.filter((event) => event.turn === turn);
  return {
    text: own.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join(""),
    told: own.flatMap((event) => (event.kind === "notice" ? [event.text] : [])),
  };
}

async function choose(
  router: Router,
  user: string,
  choice: { agent: string } | { settings: Record<string, string> },
) {
  sent += 1;
  await router.submit(conversation, {
    kind: "choose",
    key: `choice-${sent}`,
    user,
    at: Date.now(),
    ...choice,
  });
}

test("C7, C14: no way leads a user to a mode, model or agent that their rule does not list, and the operator's log tells of each try", async () => {
  const { router, lines } = await open();
  expect((await ask(router, "u-ana", "1")).text).toBe("haiku in ask on 1");

  // By what comes with a message.
  expect(await ask(router, "u-ana", "2", "opus")).toEqual({
    text: "haiku in ask on 2",
    told: ["The model opus is not open to you here."],
  });
  // By a command.
  await choose(router, "u-ana", { settings: { model: "opus", mode: "bypass" } });
  await choose(router, "u-ana", { agent: "other" });
  expect((await ask(router, "u-ana", "3")).text).toBe("haiku in ask on 3");
  // By the agent itself.
  expect((await ask(router, "u-ana", "escalate")).told).toEqual([
    "The agent changed its mode to bypass.",
  ]);
  expect(await ask(router, "u-ana", "4")).toEqual({
    text: "haiku in ask on 4",
    told: ["The mode bypass is not open to you here: this runs with ask."],
  });
  // By a command of the agent's own: what has a space in front is none.
  expect((await ask(router, "u-ana", "/yolo on")).text).toBe("haiku in ask on  /yolo on");
  expect((await ask(router, "u-ana", "/compact")).text).toBe("haiku in ask on /compact");
  // By what an operator has chosen in the same conversation.
  await choose(router, "u-op", { settings: { model: "opus", mode: "bypass" } });
  expect((await ask(router, "u-op", "5")).text).toBe("opus in bypass on 5");
  expect((await ask(router, "u-ana", "6")).text).toBe("haiku in ask on 6");

  const logged = lines.map(
    (line) =>
      JSON.parse(line) as { msg: string; setting?: string; value?: string; reason?: string },
  );
  expect(logged.filter(({ msg }) => msg === "came in").map(({ reason }) => reason)).toEqual(
    ["model", "model", "mode", "agent", "mode", "command", "model", "mode"].map(
      (setting) => `${setting}-not-open`,
    ),
  );
  const refused = logged
    .filter(({ msg }) => msg === "a choice was refused")
    .map(({ setting, value }) => `${setting} ${value}`);
  expect(refused).toEqual([
    "model opus",
    "model opus",
    "mode bypass",
    "agent other",
    "mode bypass",
    "command yolo",
    "model opus",
    "mode bypass",
  ]);
  expect(lines.join("")).not.toContain("u-ana");
});

test("C31: a paused relay starts no turn of anybody, says so, and goes on when it is over", async () => {
  const { router, people, lines } = await open();
  people.pauseAll("u-op", "maintenance");
  sent += 1;
  const refused = async (user: string) => {
    const { turn, after } = await router.submit(conversation, {
      kind: "prompt",
      key: `p-${user}`,
      user,
      query: [{ role: "user", content: "x", messageId: `p-${user}`, attachments: [] }],
      options: DEFAULT_OPTIONS,
      repeat: "attach",
      at: Date.now(),
    });
    const events: LogEvent[] = [];
    for await (const batch of router.log(conversation).follow({ after, turn })) {
      events.push(...batch);
    }
    return events.find((event) => event.kind === "turn-end");
  };
  for (const user of ["u-ana", "u-op"]) {
    expect(await refused(user)).toMatchObject({
      outcome: { code: "not-admitted", message: expect.stringContaining("paused (maintenance)") },
    });
  }
  people.resumeAll("u-op");
  expect((await ask(router, "u-ana", "1")).text).toBe("haiku in ask on 1");
  expect(people.usageOf("u-ana")).toMatchObject({ turns: 1 });
  expect(people.usageBy("model", 1)).toMatchObject([{ name: "haiku", turns: 1 }]);
  expect(lines.filter((line) => line.includes("something failed"))).toEqual([]);
});
