import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  MemoryStore,
  type PromptItem,
  type Router,
  type RouterConfig,
  type RouterReport,
} from "../src/index.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));

type Received = { readonly kind: string; readonly method?: string; readonly params?: unknown };

/** A router over a real agent process that follows a script. */
export class AgentRig implements AsyncDisposable {
  readonly router: Router;
  readonly store = new MemoryStore();
  readonly agent: AgentSupervisor;
  readonly reports: RouterReport[] = [];
  readonly directory = mkdtempSync(path.join(tmpdir(), "router-test-"));

  /** @param sessions - Where the agent keeps its sessions; [a directory of its own]. */
  constructor(script: object, config: Partial<RouterConfig> = {}, sessions?: string) {
    const file = path.join(this.directory, "script.json");
    writeFileSync(file, JSON.stringify(script));
    this.agent = new AgentSupervisor({
      command: [
        process.execPath,
        "--conditions=@acp-kit/source",
        demoAgent,
        ...[
          "--script",
          file,
          "--record",
          this.#recordFile,
          "--store",
          sessions ?? `${this.directory}/store`,
        ],
      ],
      hostEnv: process.env,
      clientInfo: { name: "router-test", version: "0" },
      stopTimings: { eofMs: 500, termMs: 500 },
    });
    this.router = createRouter({
      agent: this.agent,
      store: this.store,
      stateDir: this.directory,
      onReport: (report) => this.reports.push(report),
      ...config,
    });
  }

  get #recordFile(): string {
    return path.join(this.directory, "record.jsonl");
  }

  /** Params of what the agent received under `method`, oldest first. Read only once the agent has answered. */
  received(method: string): unknown[] {
    const lines = readFileSync(this.#recordFile, "utf8").split("\n").filter(Boolean);
    const facts = lines.map((line) => JSON.parse(line) as Received);
    return facts.filter((fact) => fact.method === method).map((fact) => fact.params);
  }

  /** Posts a message; follows its turn to the end, or to the event that `until` waits for. */
  async run(
    content: string,
    options: Partial<PromptItem> & { conversation?: string; until?: LogEvent["kind"] } = {},
  ): Promise<LogEvent[]> {
    const { conversation = "c", until = "turn-end", ...overrides } = options;
    const { turn, after } = await this.router.submit(conversation, message(content, overrides));
    return this.follow(turn, { conversation, after, until });
  }

  /** The events of a turn from behind `after` up to the first of kind `until`. */
  async follow(
    turn: string,
    from: { conversation?: string; after?: number; until?: LogEvent["kind"] } = {},
  ): Promise<LogEvent[]> {
    const { conversation = "c", after = 0, until = "turn-end" } = from;
    const cursor = this.router
      .log(conversation)
      .follow({ after, turn }, AbortSignal.timeout(20_000));
    const events: LogEvent[] = [];
    for await (const batch of cursor) {
      for (const event of batch) {
        if (event.turn !== turn) continue;
        events.push(event);
        if (event.kind === until) return events;
      }
    }
    throw new Error(`no ${until} within the deadline: ${events.map((one) => one.kind).join(" ")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.router[Symbol.asyncDispose]();
    await this.agent[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

let messages = 0;

export function message(content: string, overrides: Partial<PromptItem> = {}): PromptItem {
  messages += 1;
  const key = overrides.key ?? `m${messages}`;
  return {
    kind: "prompt",
    key,
    user: "ana",
    query: [{ role: "user", content, messageId: key, attachments: [] }],
    options: DEFAULT_OPTIONS,
    repeat: "rerun-once-delivered",
    at: Date.now(),
    ...overrides,
  };
}

export const textOf = (events: readonly LogEvent[]): string =>
  events.map((event) => (event.kind === "text" ? event.text : "")).join("");

export const outcomeOf = (events: readonly LogEvent[]) => {
  const last = events.at(-1);
  return last?.kind === "turn-end" ? last.outcome : undefined;
};
