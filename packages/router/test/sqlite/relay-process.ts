/**
 * A process with a router over a SQLite store and a scripted agent, driven by messages from its parent: see
 * `relay-rig.ts`. Arguments: the store's directory, the agent's script, the agent's record, the agent's session store.
 */
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, type InboxItem, type Lease } from "../../src/index.ts";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import type { Call, Told } from "./relay-rig.ts";

const [directory = "", script = "", record = "", sessions = ""] = process.argv.slice(2);
process.once("disconnect", () => process.exit());
const tell = (told: Told): void => void process.send?.(told);

const agent = new AgentSupervisor({
  command: [
    process.execPath,
    "--conditions=@acp-kit/source",
    fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url)),
    ...["--script", script, "--record", record, "--store", sessions],
  ],
  hostEnv: process.env,
  clientInfo: { name: "relay-process", version: "0" },
  stopTimings: { eofMs: 300, termMs: 300 },
});
const store = await openSqliteStore({ directory });
const router = createRouter({
  agent,
  store,
  stateDir: directory,
  turnLimits: { cancelGraceMs: 2_000 },
  roleOf: (user) => (user === "boss" ? "approver" : "user"),
  onReport: (report) => {
    if (report.kind !== "failure") return;
    const { what, error } = report;
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    tell({ kind: "failure", what, code });
  },
});
store.onChange((conversation, part) => {
  if (part === "inbox") tell({ kind: "inbox", conversation, at: Date.now() });
});

/** The lease of the conversation that `emit` writes to. */
let lease: Lease | undefined;

const calls = {
  recover: () => router.recover(),
  submit: (conversation: string, item: InboxItem) => router.submit(conversation, item),
  openTurns: (conversation: string) => router.openTurns(conversation),
  /** Tells every event behind `after`, once it has been confirmed as a surface would. */
  follow: async (conversation: string, after: number) => {
    const log = router.log(conversation);
    void (async () => {
      for await (const events of log.follow({ after }))
        tell({ kind: "events", conversation, events });
    })();
  },
  /** Appends events that say when they were made, one every `everyMs`. */
  emit: async (conversation: string, count: number, everyMs: number) => {
    lease ??= await store.claim(conversation);
    if (!lease) throw new Error("no lease");
    for (let n = 0; n < count; n++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      await store.append(lease, [{ kind: "text", text: `${n}`, at: Date.now() }]);
    }
  },
  close: async () => {
    await router[Symbol.asyncDispose]();
    await agent[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    setImmediate(() => process.disconnect());
  },
};

process.on("message", async ({ id, method, args }: Call) => {
  try {
    const call = calls[method] as (...args: unknown[]) => Promise<unknown>;
    tell({ kind: "result", id, result: await call(...args) });
  } catch (error) {
    tell({ kind: "failed", id, message: String(error) });
  }
});
tell({ kind: "ready" });

export type Calls = typeof calls;
