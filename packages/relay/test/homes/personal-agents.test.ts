import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRouter, DEFAULT_OPTIONS, type LogEvent, type RouterReport } from "@acp-kit/router";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { backup } from "../../src/cli/commands/backup.ts";
import { erase } from "../../src/cli/commands/erase.ts";
import { homeOf } from "../../src/homes/home.ts";
import { PersonalAgents, type PersonalAgentsOptions } from "../../src/homes/personal-agents.ts";
import { CommandsRig } from "../commands/commands-rig.ts";
import { rejection, temporaryDirectory } from "../support.ts";

vi.setConfig({ testTimeout: 60_000 });

const demoAgent = fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url));
const homeAgent = fileURLToPath(new URL("../fixtures/home-agent.ts", import.meta.url));

/** Says who it is; its sessions lie in its HOME. It holds a prompt that says "hold" until it is cancelled. */
const script = JSON.stringify({
  prompt: [
    { kind: "text", text: "@HOME@ {{pid}} {{session}}" },
    { kind: "when", says: "hold", steps: [{ kind: "wait", ms: 600_000 }] },
  ],
});
const run = `sed "s|@HOME@|$HOME|" "$SCRIPT" > "$HOME/script.json" &&
exec "$NODE" --conditions=@acp-kit/source "$DEMO" --script "$HOME/script.json" --store "$HOME/store"`;

function createAgents(
  stateDir: string,
  options: Partial<PersonalAgentsOptions> = {},
  command: readonly string[] = ["sh", "-c", run],
): PersonalAgents {
  const file = join(stateDir, "script.json");
  writeFileSync(file, script);
  const agents = new PersonalAgents({
    name: "claude",
    supervised: {
      command,
      hostEnv: process.env,
      env: { SCRIPT: file, NODE: process.execPath, DEMO: demoAgent },
      clientInfo: { name: "relay-test", version: "0" },
      stopTimings: { eofMs: 500, termMs: 500 },
    },
    hear: () => undefined,
    stateDir,
    ...options,
  });
  onTestFinished(() => agents[Symbol.asyncDispose]());
  return agents;
}

/** A relay's engine over such an agent, on disk. */
async function open(
  stateDir: string,
  options: Partial<PersonalAgentsOptions> = {},
  command?: readonly string[],
) {
  const agents = createAgents(stateDir, options, command);
  const store = await openSqliteStore({ directory: stateDir });
  const reports: RouterReport[] = [];
  const router = createRouter({
    agent: agents,
    agents: new Map([["claude", agents]]),
    store,
    stateDir,
    turnLimits: { cancelGraceMs: 500 },
    onReport: (report) => reports.push(report),
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await router[Symbol.asyncDispose]();
    await agents[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  onTestFinished(close);
  let count = 0;
  /** The events of a message's turn, to its end or to the first text. */
  const say = async (user: string, content: string, conversation = "poe/shop/c-1") => {
    count += 1;
    const key = `${user}-${count}-${Math.random()}`;
    const { turn, after } = await router.submit(conversation, {
      kind: "prompt",
      ...{ key, user, options: DEFAULT_OPTIONS, repeat: "attach", at: Date.now() },
      query: [{ role: "user", content, messageId: key, attachments: [] }],
    });
    const events: LogEvent[] = [];
    const cursor = router.log(conversation).follow({ after, turn }, AbortSignal.timeout(50_000));
    for await (const batch of cursor) {
      events.push(...batch.filter((event) => event.turn === turn));
      if (content === "hold" && events.some(({ kind }) => kind === "text")) break;
    }
    const text = events.map((event) => (event.kind === "text" ? event.text : "")).join("");
    const [home = "", pid = "", session = ""] = text.split(" ");
    return { home, pid, session, turn, events };
  };
  return { agents, router, reports, say, close };
}

test("two people in one conversation have processes, homes and sessions of their own, which survive a restart", async () => {
  const stateDir = temporaryDirectory();
  const before = await open(stateDir);
  const ana = await before.say("u-ana", "one");
  const bob = await before.say("u-bob", "two");
  expect(ana.home).toBe(homeOf(stateDir, "claude", "u-ana"));
  expect(bob.home).toBe(homeOf(stateDir, "claude", "u-bob"));
  expect(ana.home).not.toBe(bob.home);
  expect(statSync(ana.home).mode & 0o777).toBe(0o700);
  expect(ana.pid).not.toBe(bob.pid);
  expect(ana.session).not.toBe(bob.session);
  const again = await before.say("u-ana", "three");
  expect(again).toMatchObject({ pid: ana.pid, session: ana.session });
  // In another conversation it is the same process.
  expect(await before.say("u-ana", "four", "poe/shop/c-2")).toMatchObject({ pid: ana.pid });
  await before.close();
  const after = await open(stateDir);
  expect(await after.say("u-bob", "five")).toMatchObject({ home: bob.home, session: bob.session });
  expect(await after.say("u-ana", "six")).toMatchObject({ home: ana.home, session: ana.session });
  expect(after.reports.filter(({ kind }) => kind === "failure")).toEqual([]);
});

test("beyond the bound the process that was idle longest is ended, and its person goes on with the session they had", async () => {
  const stateDir = temporaryDirectory();
  const { agents, say, reports } = await open(stateDir, { maxProcesses: 2 });
  const ana = await say("u-ana", "a", "poe/shop/c-1");
  const bob = await say("u-bob", "b", "poe/shop/c-2");
  await say("u-cleo", "c", "poe/shop/c-3");
  expect(agents.size).toBe(2);
  expect(await say("u-bob", "d", "poe/shop/c-2")).toMatchObject({ pid: bob.pid });
  const back = await say("u-ana", "e", "poe/shop/c-1");
  expect(back.session).toBe(ana.session);
  expect(back.pid).not.toBe(ana.pid);
  expect(agents.size).toBe(2);
  expect(reports.filter(({ kind }) => kind === "agent-exited")).toEqual([]);
});

test("a turn waits while every process is in use, and is refused with a plain text when none becomes free", async () => {
  const stateDir = temporaryDirectory();
  const { say, router } = await open(stateDir, { maxProcesses: 1, waitMs: 1_500 });
  const held = await say("u-ana", "hold", "poe/shop/c-1");
  const refused = await say("u-bob", "b", "poe/shop/c-2");
  expect(refused.events.at(-1)).toMatchObject({
    kind: "turn-end",
    outcome: {
      kind: "failed",
      code: "agents_busy",
      message:
        "This agent is busy with other people just now. Send your message again in a minute.",
    },
  });
  const waiting = say("u-bob", "c", "poe/shop/c-2");
  await router.cancelTurn("poe/shop/c-1", held.turn, "user", "u-ana");
  expect((await waiting).home).toBe(homeOf(stateDir, "claude", "u-bob"));
});

test("a process that nobody uses is ended, and so is one whose home was erased", async () => {
  const stateDir = temporaryDirectory();
  const unused = createAgents(stateDir, { idleMs: 0, sweepMs: 20 });
  await unused.forPerson("u-ana").ready();
  await vi.waitFor(() => expect(unused.size).toBe(0), { timeout: 20_000 });
  const erased = createAgents(stateDir, { sweepMs: 20 });
  await erased.forPerson("u-ana").ready();
  await erased.forPerson("u-bob").ready();
  rmSync(homeOf(stateDir, "claude", "u-ana"), { recursive: true });
  await vi.waitFor(() => expect(erased.size).toBe(1), { timeout: 20_000 });
  expect(erased.forPerson("u-bob").running).toBeDefined();
});

test("a home that leads elsewhere is not used, and nothing starts for nobody", async () => {
  const stateDir = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  const home = homeOf(stateDir, "claude", "u-ana");
  mkdirSync(join(home, ".."), { recursive: true });
  symlinkSync(elsewhere, home);
  const agents = createAgents(stateDir);
  expect(await rejection(agents.forPerson("u-ana").ready())).toMatchObject({
    code: "home",
    chatText: "Your home for this agent cannot be used.",
  });
  expect(agents.size).toBe(0);
  expect(await rejection(agents.ready())).toBeInstanceOf(Error);
  await agents.forPerson("u-bob").ready();
});

test("a person who is erased loses their home and nobody else's; a backup says that homes are not in it", async () => {
  const stateDir = temporaryDirectory();
  const { say, close } = await open(stateDir);
  const ana = await say("u-ana", "a");
  const bob = await say("u-bob", "b");
  await close();
  expect(await backup(stateDir, join(temporaryDirectory(), "b.db"))).toContain('"homes"');
  expect(await erase(stateDir, { user: "u-ana" }, true)).toContain(ana.home);
  expect(existsSync(ana.home)).toBe(true);
  await erase(stateDir, { user: "u-ana" }, false);
  expect(existsSync(ana.home)).toBe(false);
  expect(existsSync(bob.home)).toBe(true);
});

test("C25: whoever has a home of their own logs in there by a command, and nobody else is logged in by it", async () => {
  const command = [process.execPath, "--conditions=@acp-kit/source", homeAgent];
  const rigOf = (agents: PersonalAgents) =>
    CommandsRig.open({
      host: {
        agents: new Map([["claude", agents]]),
        personalAgent: async (_, user) => agents.forPerson(user),
      },
    });
  const { agents, say } = await open(temporaryDirectory(), {}, command);
  const rig = await rigOf(agents);
  const outcomeOf = async (user: string) => {
    const last = (await say(user, "hello", `poe/shop/${user}`)).events.at(-1);
    return last?.kind === "turn-end" ? last.outcome : undefined;
  };
  expect(await outcomeOf("u-ana")).toMatchObject({ code: "auth-required" });
  expect(agents.authMethods).toMatchObject([{ id: "oauth-acme" }]);
  expect(await rig.say("!login acme", { user: "u-ana", role: "user" })).toBe("Logged in (`acme`).");
  expect(await outcomeOf("u-ana")).toMatchObject({ kind: "completed" });
  expect(await outcomeOf("u-bob")).toMatchObject({ code: "auth-required" });
});
