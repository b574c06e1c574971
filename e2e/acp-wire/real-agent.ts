import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AgentProcess, type SessionClient } from "../../packages/acp-wire/src/index.ts";
import {
  type Answer,
  ASK_PLAIN,
  ASK_TOOL,
  ASK_WAIT,
  DONE,
  PLAIN,
  startModelMock,
  WAITING,
} from "./model-mock.ts";

/** An agent from npm that is driven against a stand-in for its model. */
export interface RealAgent {
  name: string;
  package: string;
  bin: string;
  args: string[];
  /** How to log in before the first session, where that is needed. */
  authMethod: string | undefined;
  answer: Answer;
  /** Whether it names a session's file by the minute, so that a load within that minute empties it. */
  filesByMinute?: boolean;
  /** Its environment, once what it wants to find in its home was put there. */
  env(home: string, url: string): Promise<Record<string, string>>;
}

export interface DriveOptions {
  hostEnv: Record<string, string | undefined>;
  say: (line: string) => void;
  /** A directory in which it was installed before. */
  installed?: string | undefined;
  verbose?: boolean;
}

/** Updates that an agent sends behind a prompt's response must come within this, in ms. */
const LATE_MS = 100;
const STEP_MS = 60_000;

/** Installs an agent and goes through all that a client does. @throws when something is missing */
export async function drive(real: RealAgent, options: DriveOptions): Promise<void> {
  const { say } = options;
  const directory = await mkdtemp(join(tmpdir(), `e2e-${real.name}-`));
  try {
    const place = options.installed ?? (await install(real, directory));
    const home = join(directory, "home");
    const workspace = join(directory, "workspace");
    await mkdir(home);
    await mkdir(workspace);
    await using model = await startModelMock(real.answer);
    const env = { HOME: home, ...(await real.env(home, model.url)) };
    const start = () =>
      AgentProcess.start({
        command: [join(place, "node_modules/.bin", real.bin), ...real.args],
        cwd: workspace,
        hostEnv: options.hostEnv,
        env,
        clientInfo: { name: "acp-wire-e2e", version: "1.0.0" },
        initializeTimeoutMs: STEP_MS,
        stopTimings: { eofMs: 4_000 },
        onNoise: (line) => say(`  noise: ${line.slice(0, 100)}`),
        ...(options.verbose && {
          trace: (way, message) => say(`  ${way} ${JSON.stringify(message)}`),
        }),
      });
    const session = await talk(real, await start(), workspace, say);
    if (real.filesByMinute) await sleep(60_000 - (Date.now() % 60_000) + 1_000);
    await comeBack(await start(), session, workspace, say);
    say("all of it works");
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function install(real: RealAgent, directory: string): Promise<string> {
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", directory];
  await promisify(execFile)("npm", [...args, real.package], { cwd: directory });
  return directory;
}

async function talk(
  real: RealAgent,
  agent: AgentProcess,
  workspace: string,
  say: (line: string) => void,
): Promise<string> {
  try {
    const { info, capabilities } = agent;
    say(`initialize: ${info?.name} ${info?.version} ${JSON.stringify(capabilities)}`);
    if (real.authMethod !== undefined) await agent.authenticate(real.authMethod);
    const seen = new Seen();
    const { sessionId } = await agent.newSession(workspace, seen);
    say(`session/new: ${sessionId}`);

    const turn = await within(agent.prompt(sessionId, text(`Please ${ASK_TOOL} now.`)));
    assert.equal(turn.stopReason, "end_turn");
    // One agent shows a tool call that was asked about only by its updates.
    assert.ok(
      seen.kinds.some((kind) => kind.startsWith("tool_call")),
      "no tool call was shown",
    );
    assert.equal(seen.asked, 1, "it did not ask");
    assert.ok(seen.text.includes(DONE), "the answer is incomplete when the prompt resolves");
    // One agent goes on before its shell has.
    await within(exists(join(workspace, "made-by-the-agent")));
    const before = seen.kinds.length;
    await sleep(LATE_MS);
    const late = seen.kinds.slice(before);
    say(`a tool, a question, an answer; ${late.length} update(s) behind it: ${late.join(", ")}`);

    const waiting = agent.prompt(sessionId, text(`Please ${ASK_WAIT}.`));
    await within(seen.until((all) => all.includes(WAITING)));
    await agent.cancel(sessionId);
    say(`session/cancel: ${(await within(waiting)).stopReason}`);

    const plain = await within(agent.prompt(sessionId, text(`Please ${ASK_PLAIN}.`)));
    assert.equal(plain.stopReason, "end_turn");
    assert.ok(seen.text.endsWith(PLAIN), `after the cancel it said ${seen.text.slice(-60)}`);
    return sessionId;
  } finally {
    await agent[Symbol.asyncDispose]();
    const { code, signal, cause } = await agent.exited;
    say(`stopped: code ${code}, signal ${signal}, ${cause}`);
  }
}

/** A fresh process finds the session again, by all the ways that it has. */
async function comeBack(
  agent: AgentProcess,
  session: string,
  workspace: string,
  say: (line: string) => void,
): Promise<void> {
  try {
    const { loadSession, sessionCapabilities } = agent.capabilities;
    if (sessionCapabilities?.list) {
      const listed = await within(agent.listSessions(workspace));
      say(
        `session/list: ${listed.length} session(s), ours ${listed.some((one) => one.sessionId === session)}`,
      );
    } else say("session/list: it has none");
    if (sessionCapabilities?.resume) {
      const seen = new Seen();
      await within(agent.resumeSession(workspace, session, seen));
      const { stopReason } = await within(agent.prompt(session, text(`Please ${ASK_PLAIN}.`)));
      assert.equal(stopReason, "end_turn");
      assert.ok(seen.text.includes(PLAIN));
      say("session/resume: the session goes on");
    } else say("session/resume: it has none");
    if (loadSession) {
      const seen = new Seen();
      await within(agent.loadSession(workspace, session, seen));
      await sleep(LATE_MS);
      say(`session/load: ${seen.kinds.length} update(s) replayed`);
      assert.ok(seen.text.includes(DONE));
    } else say("session/load: it has none");
  } finally {
    await agent[Symbol.asyncDispose]();
  }
}

/** A client that allows everything once, and remembers what it was shown. */
class Seen implements SessionClient {
  readonly kinds: string[] = [];
  text = "";
  asked = 0;
  #wake: (() => void)[] = [];

  update({ update }: Parameters<SessionClient["update"]>[0]): void {
    this.kinds.push(update.sessionUpdate);
    const { text = "" } = (update["content"] ?? {}) as { text?: string };
    if (update.sessionUpdate === "agent_message_chunk") this.text += text;
    for (const wake of this.#wake.splice(0)) wake();
  }

  async ask({ options }: Parameters<SessionClient["ask"]>[0]) {
    this.asked++;
    const once = options.find((option) => option.kind === "allow_once");
    assert.ok(once, "nothing can be allowed once");
    return { outcome: "selected", optionId: once.optionId } as const;
  }

  async until(holds: (text: string) => boolean): Promise<void> {
    while (!holds(this.text)) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
}

async function exists(file: string): Promise<void> {
  while (!existsSync(file)) await sleep(20);
}

const text = (value: string) => [{ type: "text", text: value }] as const;

async function within<T>(work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(STEP_MS);
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      late.addEventListener("abort", () => reject(new Error(`nothing within ${STEP_MS} ms`)));
    }),
  ]);
}
