import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { createPoeId, type PoeQuery } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay } from "./kept-relay.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
/** The law in full, and a little of it in every run of the suite. */
const LAW = isSoak ? { clients: 64, forMs: 60_000 } : { clients: 8, forMs: 8_000 };
const SIGHUP_EVERY_MS = 2_000;
const MAX_GENERATIONS = 4;
/** Generations without which the law would say nothing. */
const MIN_SERVED = 3;

/** Turns of 0.5 to 5 s, by a word of the message; a piece every 100 ms. */
const durations = { blink: 5, short: 10, while: 25, long: 50 };
const agent = {
  prompt: [
    { kind: "text", text: "({{prompt}}" },
    ...Object.entries(durations).map(([says, pieces]) => ({
      kind: "when" as const,
      says,
      steps: [{ kind: "text" as const, text: ".".repeat(pieces), pace: { size: 1, everyMs: 100 } }],
    })),
    { kind: "text", text: ")" },
  ],
} as const;

/** What a message is answered with. */
function answerTo(text: string): string {
  const [, pieces = 0] = Object.entries(durations).find(([word]) => text.includes(word)) ?? [];
  return `(${text}${".".repeat(pieces)})`;
}

type Asked = { readonly text: string; readonly query: PoeQuery };

/** Numbers from 0 to 1 that are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Asks one message after the other, mostly in one conversation, until it is told to stop. */
async function beClient(relay: KeptRelay, nth: number, signal: AbortSignal): Promise<Asked[]> {
  const random = createRandom(nth + 1);
  const words = Object.keys(durations);
  const asked: Asked[] = [];
  let conversation = createPoeId("c");
  while (!signal.aborted) {
    if (random() < 0.2) conversation = createPoeId("c");
    const text = `${nth}-${asked.length} ${words[Math.floor(random() * words.length)]}`;
    const query = relay.poe.query({ conversation, text });
    asked.push({ text, query });
    await query.done;
  }
  return asked;
}

/** The most processes of the relay that lived at once, until it is told to stop. */
async function countGenerations(relay: KeptRelay, signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    most = Math.max(most, relay.generations.length);
    await setTimeout(10);
  }
  return most;
}

test(
  `${LAW.clients} clients that connect all the time notice nothing of a SIGHUP every 2 s, and of a SIGTERM at the end`,
  async () => {
    await using relay = await KeptRelay.start(agent, { log: { level: "info" } });
    const over = new AbortController();
    const counted = new AbortController();
    const most = countGenerations(relay, counted.signal);
    const clients = Array.from({ length: LAW.clients }, (_, nth) =>
      beClient(relay, nth, over.signal),
    );
    const endAt = performance.now() + LAW.forMs;
    const served = () => relay.stderr.split("a generation serves").length - 1;
    // A machine with much else to do may need longer for a few hand-overs.
    while (performance.now() < endAt || served() < MIN_SERVED) {
      await setTimeout(SIGHUP_EVERY_MS);
      relay.kill("SIGHUP");
    }
    over.abort();
    relay.kill("SIGTERM");
    const byClient = await Promise.all(clients);
    expect(await relay.ends()).toBe(0);
    counted.abort();

    const all = byClient.flat();
    const outcomes = await Promise.all(
      all.map(async ({ text, query }) => ({ text, how: (await query.done).how })),
    );
    expect(outcomes.filter(({ how }) => how !== "done")).toEqual([]);
    // How fast a machine is that starts a process every 2 s is not the matter here.
    const violations = all.flatMap(({ query }) => query.violations);
    expect(violations.filter(({ code }) => code !== "late-first-event")).toEqual([]);
    // What came behind the SIGTERM was refused, and may be sent again.
    const late = byClient.flatMap((asked) => asked.slice(-1)).filter(isRefused);
    const answered = all.filter((one) => !late.includes(one));
    expect(answered.map(({ query }) => query.body())).toEqual(
      answered.map(({ text }) => answerTo(text)),
    );
    // Neither lost nor doubled.
    expect(relay.prompts.toSorted()).toEqual(answered.map(({ text }) => text).toSorted());
    expect(served()).toBeGreaterThanOrEqual(MIN_SERVED);
    expect(await most).toBeLessThanOrEqual(MAX_GENERATIONS);
    expect(readdirSync(path.join(relay.stateDir, "owners"))).toEqual([]);
    expect(ownedConversations(relay.stateDir)).toBe(0);
    if (isSoak) {
      process.stdout.write(
        `${JSON.stringify({
          turns: answered.length,
          refused: late.length,
          generations: served(),
          atOnce: await most,
        })}\n`,
      );
    }
  },
  LAW.forMs + 120_000,
);

function isRefused({ query }: Asked): boolean {
  const mayRetry = query.frames.some(
    (frame) => "event" in frame && frame.event === "error" && frame.data.allow_retry,
  );
  return mayRetry && query.body().includes("restarting");
}

function ownedConversations(stateDir: string): number {
  const database = new DatabaseSync(path.join(stateDir, "store.db"), { readOnly: true });
  const row = database
    .prepare("SELECT count(*) AS owned FROM conversations WHERE owner IS NOT NULL")
    .get();
  database.close();
  return Number(row?.["owned"]);
}
