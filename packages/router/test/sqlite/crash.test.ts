import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/index.ts";
import { OwnerLock } from "../../src/sqlite/owner-lock.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { createRandom } from "./random.ts";
import { readRecord } from "./relay-rig.ts";
import { temporaryDirectories } from "./temporary.ts";

const directory = temporaryDirectories("crash");
const isSoak = process.env["ACP_KIT_SOAK"] === "1";
const KILLS = isSoak ? 500 : 4;

const script = {
  prompt: [
    {
      kind: "when",
      says: "long",
      steps: [{ kind: "text", text: "word ".repeat(60), pace: { size: 5, everyMs: 4 } }],
    },
    {
      kind: "when",
      says: "burst",
      steps: [{ kind: "flood", lines: 200, bytes: 120, perWrite: 3 }],
    },
    {
      kind: "when",
      says: "ask",
      steps: [
        {
          kind: "ask",
          toolCall: { toolCallId: "1", title: "Run", kind: "execute", rawInput: { command: "ls" } },
          options: [{ optionId: "once", name: "Allow", kind: "allow_once" }],
        },
      ],
    },
    { kind: "text", text: "heard {{prompt}}" },
  ],
};

/**
 * Counted from the opening of the store; `openedInMs` is when it was open. `starvedMs` of the process's time went to
 * others on a busy machine.
 */
type Recovery = {
  readonly openedInMs: number;
  readonly recoveredInMs: number;
  readonly starvedMs: number;
};

type Row = Record<string, unknown>;

/** A directory in which relays run and are killed, and what is known about it from outside. */
class Scene {
  readonly home = directory();
  readonly #names: readonly string[];
  readonly #children = new Map<string, ChildProcess>();
  #starts = 0;

  constructor(names: readonly string[]) {
    this.#names = names;
    writeFileSync(path.join(this.home, "script.json"), JSON.stringify(script));
  }

  /** `recovered` resolves when the relay has taken over what the dead left, with the milliseconds that this took. */
  start(name: string): { recovered: Promise<Recovery> } {
    const file = fileURLToPath(new URL("./crash-process.ts", import.meta.url));
    const child = fork(file, [this.home, name, String(++this.#starts)], {
      execArgv: ["--conditions=@acp-kit/source", "--disable-warning=ExperimentalWarning"],
    });
    this.#children.set(name, child);
    const { promise, resolve, reject } = Promise.withResolvers<Recovery>();
    child.once("message", (told: Recovery) => resolve(told));
    child.once("exit", (code, signal) => reject(new Error(`${name} ended: ${code} ${signal}`)));
    promise.catch(() => undefined);
    return { recovered: promise };
  }

  async kill(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (!child) return;
    // A relay that ended by itself has met an error, which its stderr shows.
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    this.#children.delete(name);
  }

  async end(): Promise<void> {
    for (const child of this.#children.values()) child.kill("SIGKILL");
    this.#children.clear();
  }

  query(sql: string): Row[] {
    const database = new DatabaseSync(storeFiles(path.join(this.home, "store")).database, {
      readOnly: true,
      timeout: 5_000,
    });
    try {
      return database.prepare(sql).all() as Row[];
    } finally {
      database.close();
    }
  }

  /** What dead owners hold: leases, and turns that run. */
  heldByDead(): Row[] {
    using lock = OwnerLock.take(storeFiles(path.join(this.home, "store")).owners);
    const owned = this.query(
      `SELECT key, owner, (SELECT json_group_array(turn) FROM turns WHERE conversation = conversations.id
         AND start_seq IS NOT NULL AND end_seq IS NULL) AS running FROM conversations`,
    );
    return owned.filter(({ owner, running }) =>
      owner === null ? running !== "[]" : !lock.isAlive(String(owner)),
    );
  }

  /** The logs as they are, by conversation. */
  logs(): Map<string, { seq: number; body: string }[]> {
    const logs = new Map<string, { seq: number; body: string }[]>();
    const rows = this.query(
      "SELECT key, seq, body FROM events JOIN conversations ON id = conversation ORDER BY id, seq",
    );
    for (const { key, seq, body } of rows) {
      const log = logs.get(String(key)) ?? [];
      logs.set(String(key), log);
      log.push({ seq: Number(seq), body: String(body) });
    }
    return logs;
  }

  /** What the relays' readers have written down, by relay; the last line of a killed one may be cut. */
  seen(): {
    name: string;
    conversation: string;
    seq?: number;
    digest?: string;
    confirmed?: number;
  }[] {
    return this.#names.flatMap((name) => {
      const file = path.join(this.home, `${name}-seen.jsonl`);
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => ({ name, ...JSON.parse(line) }));
    });
  }

  /** The words of every prompt that an agent received. */
  prompts(): string[] {
    return this.#names
      .flatMap((name) => readRecord(path.join(this.home, `${name}-record.jsonl`)))
      .filter(({ method }) => method === "session/prompt")
      .map(({ params }) => (params as { prompt: { text: string }[] }).prompt.at(-1)?.text ?? "");
  }

  agentPids(): number[] {
    return this.#names
      .flatMap((name) => readRecord(path.join(this.home, `${name}-record.jsonl`)))
      .map((entry) => (entry as { pid: number }).pid);
  }
}

const digestOf = (body: string) => createHash("sha256").update(body).digest("base64").slice(0, 12);

/** Everything that must be true of the files, whatever was killed when. */
function check(scene: Scene): { events: number; prompts: number; seen: number } {
  // The logs come last: relays may be running.
  const seen = scene.seen();
  const prompts = scene.prompts();
  const checkpoints = scene.query(
    "SELECT key, consumer, seq FROM checkpoints JOIN conversations ON id = conversation",
  );
  const logs = scene.logs();
  for (const [conversation, log] of logs) {
    expect([conversation, log.map(({ seq }) => seq)]).toEqual([
      conversation,
      log.map((_, index) => index + 1),
    ]);
  }
  for (const { conversation, seq, digest, confirmed } of seen) {
    const log = logs.get(conversation) ?? [];
    // What any reader saw is in the log, at its place.
    if (seq !== undefined) expect(digestOf(log[seq - 1]?.body ?? "")).toBe(digest);
    if (confirmed !== undefined) expect(confirmed).toBeLessThanOrEqual(log.length);
  }
  for (const { key, consumer, seq } of checkpoints) {
    const told = seen.filter(
      ({ name, conversation, confirmed }) =>
        name === consumer && conversation === key && confirmed !== undefined,
    );
    expect(Number(seq)).toBeLessThanOrEqual(logs.get(String(key))?.length ?? 0);
    expect(Number(seq)).toBeGreaterThanOrEqual(told.at(-1)?.confirmed ?? 0);
  }
  const attempts = startedAttempts(logs);
  for (const [words, times] of Map.groupBy(prompts, (one) => one)) {
    expect([words, times.length <= (attempts.get(words) ?? 0)]).toEqual([words, true]);
  }
  return {
    events: [...logs.values()].reduce((sum, log) => sum + log.length, 0),
    prompts: prompts.length,
    seen: seen.length,
  };
}

/** How often the log says that a message's turn was started, by the words of the message. */
function startedAttempts(logs: ReturnType<Scene["logs"]>): Map<string, number> {
  const attempts = new Map<string, number>();
  for (const log of logs.values()) {
    const words = new Map<string, string>();
    const started = new Set<string>();
    for (const { body } of log) {
      const event = JSON.parse(body) as NewEvent;
      const { turn = "" } = event;
      if (event.kind === "turn-queued") words.set(turn, event.text);
      if (event.kind !== "turn-start") continue;
      // One attempt starts once.
      expect(started.has(turn)).toBe(false);
      started.add(turn);
      const key = words.get(turn) ?? "";
      attempts.set(key, (attempts.get(key) ?? 0) + 1);
    }
  }
  return attempts;
}

/** Nothing is left of the dead within a second. */
async function expectTakenOver(scene: Scene): Promise<void> {
  const start = performance.now();
  const first = scene.heldByDead();
  for (let held = first; held.length > 0; held = scene.heldByDead()) {
    const waited = performance.now() - start;
    expect(waited, `still held: ${JSON.stringify(held)}`).toBeLessThan(20_000);
    await setTimeout(20);
  }
  const tookMs = performance.now() - start;
  expect(tookMs, `held at first: ${JSON.stringify(first)}`).toBeLessThan(1_000);
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

let scene: Scene;
afterEach(() => scene.end());

test(`a relay that is killed ${KILLS} times at random instants loses nothing and repeats nothing`, async () => {
  scene = new Scene(["alone"]);
  const random = createRandom(1);
  for (let kill = 0; kill < KILLS; kill++) {
    const { recovered } = scene.start("alone");
    if (random.chance(0.15)) {
      // While it starts.
      await setTimeout(random.integer(0, 500));
    } else {
      const told = await recovered;
      expect(told.recoveredInMs - told.starvedMs, JSON.stringify(told)).toBeLessThan(1_000);
      await expectTakenOver(scene);
      await setTimeout(random.integer(0, 1_500));
    }
    await scene.kill("alone");
    if (kill % 25 === 24) check(scene);
  }
  const { recovered } = scene.start("alone");
  await recovered;
  await expectTakenOver(scene);
  await scene.kill("alone");
  const found = check(scene);
  expect(found.prompts).toBeGreaterThan(KILLS / 2);
  expect(found.seen).toBeGreaterThan(10 * KILLS);
  await expect.poll(() => scene.agentPids().filter(isAlive), { timeout: 10_000 }).toEqual([]);
}, 3_600_000);

test(`of two relays one is killed ${KILLS} times at random instants: the same holds, and the other takes over within a second`, async () => {
  scene = new Scene(["left", "right"]);
  const random = createRandom(2);
  await scene.start("left").recovered;
  await scene.start("right").recovered;
  for (let kill = 0; kill < KILLS; kill++) {
    await setTimeout(random.integer(0, 1_500));
    const name = random.pick(["left", "right"]);
    await scene.kill(name);
    if (random.chance(0.15)) {
      // Once more, while it starts.
      scene.start(name);
      await setTimeout(random.integer(0, 500));
      await scene.kill(name);
    }
    await expectTakenOver(scene);
    await scene.start(name).recovered;
    if (kill % 25 === 24) check(scene);
  }
  await scene.kill("left");
  await expectTakenOver(scene);
  await scene.kill("right");
  const found = check(scene);
  expect(found.prompts).toBeGreaterThan(KILLS / 2);
  expect(found.seen).toBeGreaterThan(10 * KILLS);
}, 3_600_000);
