import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, DEFAULT_OPTIONS, type PromptItem, type Router } from "../src/index.ts";
import { openSqliteStore, type SqliteStore } from "../src/sqlite/index.ts";
import { inDirectory, quantile, round } from "./measure.ts";

const CONVERSATIONS = 500;
const RUNS = 3;
/** How long the conversations are watched, once all of them are being answered. */
const WATCH_MS = 6_000;
/** Less of a flood than this, in lines a second, proves nothing. */
const LEAST_FLOOD = 4_000;

const script = {
  prompt: [
    { kind: "when", says: "stuck", steps: [{ kind: "wait" }] },
    {
      kind: "when",
      says: "flood",
      // 5,000 lines a second; what is late is caught up with.
      steps: [
        { kind: "text", text: "flood ".repeat(300_000), pace: { size: 6, everyMs: 0.2 } },
        { kind: "wait" },
      ],
    },
    { kind: "text", text: "steady ".repeat(3_000), pace: { size: 14, everyMs: 250 } },
  ],
};

const exactNow = () => performance.timeOrigin + performance.now();

/**
 * The time between the relay's read of an agent's line and the line at a cursor, over 500 conversations with one agent:
 * alone, and beside a session that never answers, a reader that never reads, and an agent that floods.
 */
export async function benchIsolation() {
  const runs: unknown[] = [];
  for (let n = 0; n < RUNS; n++) {
    const calm = await inDirectory((directory) => watch(directory, false));
    const disturbed = await inDirectory((directory) => watch(directory, true));
    const limit = Math.max(2 * calm.p99Ms, calm.p99Ms + 10);
    const isFlooded = disturbed.floodLinesPerSecond >= LEAST_FLOOD;
    const holds = isFlooded && disturbed.p99Ms <= limit;
    runs.push({ calm, disturbed, limitMs: round(limit), holds });
  }
  return runs;
}

async function watch(directory: string, isDisturbed: boolean) {
  const file = path.join(directory, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const agentFile = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));
  const agent = new AgentSupervisor({
    command: [process.execPath, "--conditions=@acp-kit/source", agentFile, "--script", file],
    hostEnv: process.env,
    clientInfo: { name: "bench", version: "0" },
    stopTimings: { eofMs: 200, termMs: 200 },
  });
  const store = await openSqliteStore({ directory: path.join(directory, "store") });
  const router = createRouter({
    agent,
    store,
    stateDir: directory,
    turnLimits: { cancelGraceMs: 100 },
    now: exactNow,
  });
  const samples: number[] = [];
  const stop = new AbortController();
  let isCounting = false;
  try {
    if (isDisturbed) {
      await router.submit("stuck", createPrompt("stuck"));
      await router.submit("flood", createPrompt("flood"));
      router.log("flood").follow({ after: 0 });
    }
    const read = async (conversation: string, onText: () => void) => {
      for await (const events of router.log(conversation).follow({ after: 0 }, stop.signal)) {
        const now = exactNow();
        for (const event of events) {
          if (event.kind !== "text") continue;
          onText();
          if (isCounting) samples.push(now - event.at);
        }
      }
    };
    await Promise.all(
      Array.from({ length: CONVERSATIONS }, async (_, n) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        void read(`steady ${n}`, resolve);
        await router.submit(`steady ${n}`, createPrompt("go"));
        await promise;
      }),
    );
    const before = await store.last("flood");
    isCounting = true;
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    isCounting = false;
    return {
      samples: samples.length,
      p50Ms: round(quantile(samples, 0.5)),
      p99Ms: round(quantile(samples, 0.99)),
      floodLinesPerSecond: round((await countLines(store, "flood", before)) / (WATCH_MS / 1_000)),
    };
  } finally {
    stop.abort();
    await closeAll(router, agent);
    await store[Symbol.asyncDispose]();
  }
}

/** Lines of a flooding agent that a log has behind a seq: each says one word. */
async function countLines(
  store: SqliteStore,
  conversation: string,
  after: number,
): Promise<number> {
  const last = await store.last(conversation);
  let lines = 0;
  for (let seq = after; seq < last; ) {
    for (const event of await store.read(conversation, seq, 256)) {
      seq = event.seq;
      if (event.kind === "text") lines += event.text.split(" ").length - 1;
    }
  }
  return lines;
}

async function closeAll(router: Router, agent: AgentSupervisor): Promise<void> {
  // The agent first: five hundred turns end at once with it.
  await agent[Symbol.asyncDispose]();
  await router[Symbol.asyncDispose]();
}

function createPrompt(content: string): PromptItem {
  return {
    kind: "prompt",
    key: "",
    user: "ana",
    query: [{ role: "user", content, messageId: "", attachments: [] }],
    options: DEFAULT_OPTIONS,
    repeat: "attach",
    at: Date.now(),
  };
}
