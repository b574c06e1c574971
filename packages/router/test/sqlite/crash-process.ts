/**
 * A relay that takes over what a dead one left, and then runs random turns until it is killed. What its readers see is
 * written to a file before anything else happens, so that it outlives the process. Arguments: the directory, the
 * relay's name, a seed.
 */
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  type PromptItem,
  RouterError,
} from "../../src/index.ts";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { createRandom } from "./random.ts";
import { readStarvedMs } from "./starved-ms.ts";

const [directory = "", name = "", seed = ""] = process.argv.slice(2);
process.once("disconnect", () => process.exit(1));
const random = createRandom(Number(seed));
const seen = openSync(path.join(directory, `${name}-seen.jsonl`), "a");
const note = (line: unknown) => writeSync(seen, `${JSON.stringify(line)}\n`);
const began = performance.now();
const starvedBefore = readStarvedMs();

const agent = new AgentSupervisor({
  command: [
    process.execPath,
    "--conditions=@acp-kit/source",
    fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url)),
    ...["--script", path.join(directory, "script.json")],
    ...["--record", path.join(directory, `${name}-record.jsonl`)],
  ],
  hostEnv: process.env,
  clientInfo: { name: "crash-process", version: "0" },
});
const store = await openSqliteStore({ directory: path.join(directory, "store") });
const openedInMs = performance.now() - began;
const router = createRouter({
  agent,
  store,
  stateDir: directory,
  turnLimits: { cancelGraceMs: 200 },
});
await router.recover();
process.send?.({
  recoveredInMs: performance.now() - began,
  openedInMs,
  starvedMs: readStarvedMs() - starvedBefore,
});

const conversations = ["c0", "c1", "c2", "c3"];
/** Messages that this process has sent, newest last. */
const sent: { conversation: string; item: PromptItem }[] = [];

function createMessage(n: number): PromptItem {
  const kind = random.pick(["short", "long", "burst", "ask"]);
  const key = `${name}-${seed}-${n}`;
  return {
    kind: "prompt",
    key,
    user: "ana",
    // The agent's record tells from these words which message it was sent.
    query: [{ role: "user", content: `${key} ${kind}`, messageId: key, attachments: [] }],
    options: DEFAULT_OPTIONS,
    repeat: "rerun-once-delivered",
    after: 0,
    at: Date.now(),
  };
}

async function talk(conversation: string): Promise<void> {
  for (let n = 0; ; n++) {
    const old = random.chance(0.15) ? random.pick(sent) : undefined;
    const { item } = old ?? { item: createMessage(n * 10 + Number(conversation[1])) };
    const place = old?.conversation ?? conversation;
    const posted = await router.submit(place, item).catch((error: unknown) => {
      if (error instanceof RouterError && error.code === "queue-full") return undefined;
      throw error;
    });
    if (!posted) {
      await setTimeout(50);
      continue;
    }
    const { turn } = posted;
    if (!old) sent.push({ conversation, item });
    const patience = AbortSignal.timeout(random.integer(20, 400));
    const cursor = router.log(place).follow({ after: await store.last(place), turn }, patience);
    while (await cursor.next());
    if (random.chance(0.4)) await router.cancelTurn(place, turn, "user", "ana");
    if (random.chance(0.05)) {
      await router.submit(place, { kind: "reset", key: "", user: "ana", at: Date.now() });
    }
  }
}

/** Reads on from what it had confirmed, as a surface does. */
async function listen(conversation: string): Promise<void> {
  const log = router.log(conversation);
  let confirmed = (await log.checkpoint(name)).seq;
  for await (const events of log.follow({ after: confirmed })) {
    for (const event of events) note({ conversation, seq: event.seq, digest: digestOf(event) });
    const seq = events.at(-1)?.seq ?? confirmed;
    for (const event of events) await answer(conversation, event);
    if (random.chance(0.5)) continue;
    const delivered = random.chance(0.3) ? sent.slice(-2).map(({ item }) => item.key) : [];
    if (!(await log.confirm(name, confirmed, { seq, state: "{}", delivered }))) {
      throw new Error(`somebody else confirms as ${name}`);
    }
    confirmed = seq;
    note({ conversation, confirmed });
  }
}

async function answer(conversation: string, event: LogEvent): Promise<void> {
  if (event.kind !== "permission-ask" || random.chance(0.3)) return;
  const { id: permission } = event.ask;
  const item = { kind: "answer", key: `a-${permission}`, user: "ana", permission } as const;
  await router.submit(conversation, { ...item, option: "once", at: Date.now() });
}

function digestOf({ seq: _, ...event }: LogEvent): string {
  return createHash("sha256").update(JSON.stringify(event)).digest("base64").slice(0, 12);
}

// As a server would: whoever only follows another process's conversations has nothing that keeps it alive.
setInterval(() => undefined, 60_000);
await Promise.all(conversations.flatMap((one) => [talk(one), listen(one)]));
