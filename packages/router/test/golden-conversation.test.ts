import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { expect, test } from "vitest";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type InboxItem,
  type LogEvent,
  type Options,
  type Posted,
  type Router,
  type Store,
  type Turn,
} from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));
const models = ["small", "large"].map((id) => ({ id, name: id }));

const scripts = {
  one: {
    agent: { name: "one", models, modes: [{ id: "ask", name: "Ask" }] },
    prompt: [
      {
        kind: "when",
        says: "push",
        steps: [
          {
            kind: "ask",
            toolCall: {
              toolCallId: "p",
              title: "Push",
              kind: "execute",
              rawInput: { command: "git push" },
            },
            options: [
              { optionId: "yes", name: "Yes", kind: "allow_once" },
              { optionId: "no", name: "No", kind: "reject_once" },
            ],
            on: { yes: [{ kind: "text", text: "Pushed." }] },
          },
        ],
        otherwise: [{ kind: "text", text: "One ({{model}}) answers {{turn}}." }],
      },
    ],
  },
  two: { agent: { name: "two" }, prompt: [{ kind: "text", text: "Two answers {{turn}}." }] },
} as const;

type Name = keyof typeof scripts;
const names = ["one", "two"] as const;

/** One life of the relay: agents, store and router over what the lives before have left. */
class Life implements AsyncDisposable {
  readonly router: Router;
  readonly store: Store;
  readonly #agents: ReadonlyMap<Name, AgentSupervisor>;

  private constructor(store: Store, directory: string) {
    this.store = store;
    const agents = new Map(names.map((name) => [name, startAgent(name, directory)] as const));
    this.#agents = agents;
    const [agent] = [...agents.values()];
    if (!agent) throw new Error("there is an agent");
    this.router = createRouter({
      agent,
      agents,
      store,
      stateDir: directory,
      workspaceFor: () => ({ cwd: directory, roots: [], filesDir: directory }),
      roleOf: (user) => (user === "mallory" ? undefined : "user"),
      mayChoose: ({ user, value }) => user === "ana" || value !== "large",
      systemPromptProvider: () => "Answer in one sentence.",
      allowedCommands: () => [],
    });
  }

  static async start(directory: string): Promise<Life> {
    return new Life(await openSqliteStore({ directory: path.join(directory, "db") }), directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.router[Symbol.asyncDispose]();
    await Promise.all([...this.#agents.values()].map((one) => one[Symbol.asyncDispose]()));
    await this.store[Symbol.asyncDispose]();
  }
}

function startAgent(name: Name, directory: string): AgentSupervisor {
  const file = (suffix: string) => path.join(directory, `${name}.${suffix}`);
  writeFileSync(file("json"), JSON.stringify(scripts[name]));
  const flags = ["--script", file("json"), "--record", file("jsonl"), "--store", file("store")];
  return new AgentSupervisor({
    command: [process.execPath, "--conditions=@acp-kit/source", demoAgent, ...flags],
    hostEnv: process.env,
    clientInfo: { name: "golden", version: "0" },
    stopTimings: { eofMs: 500, termMs: 500 },
  });
}

/** Ids that differ from run to run, by the order in which they were first seen. */
class Aliases {
  readonly #known = new Map<string, string>();

  replaceIn(text: string): string {
    return text
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, (id) => this.#alias("id", id))
      .replaceAll(/\b[0-9a-f]{16}\b/g, "DELIMITER");
  }

  #alias(kind: string, id: string): string {
    const alias = this.#known.get(id) ?? `${kind}-${this.#known.size + 1}`;
    this.#known.set(id, alias);
    return alias;
  }
}

function formatEvent({ seq, turn, kind, at: _, ...rest }: LogEvent): string {
  const shown = JSON.stringify(rest, (key, value) => (key === "expiresAt" ? "later" : value));
  return `${seq} ${turn ?? "-"} ${kind} ${shown}`;
}

/** What reached an agent, but for what every session says alike. */
function readReceived(directory: string, name: Name): string[] {
  const lines = readFileSync(path.join(directory, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.flatMap((line) => {
    const { method, params } = JSON.parse(line) as { method?: string; params?: object };
    if (!method?.startsWith("session/")) return [];
    const { cwd: _, mcpServers: __, ...rest } = params as Record<string, unknown>;
    return [`${method} ${JSON.stringify(rest)}`];
  });
}

test("a conversation of two people, a stranger, two agents and a restart is the golden one, line by line", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "golden-"));
  const lines: string[] = [];
  const transcript: Turn[] = [];
  let count = 0;
  let life = await Life.start(directory);

  const submit = async (item: InboxItem): Promise<Posted> => {
    const posted = await life.router.submit("c", item);
    lines.push(`${item.user} posts ${item.kind}: ${posted.how}`);
    return posted;
  };
  const post = (user: string, content: string, options: Partial<Options> = {}) => {
    count += 1;
    const key = `m${count}`;
    transcript.push({ role: "user", content, messageId: key, attachments: [], speaker: user });
    return submit({
      kind: "prompt",
      key,
      user,
      query: [...transcript],
      options: { ...DEFAULT_OPTIONS, ...options },
      repeat: "attach",
      at: 0,
    });
  };
  const follow = async (posted: Posted, until: LogEvent["kind"] = "turn-end") => {
    let said = "";
    const cursor = life.router.log("c").follow(posted, AbortSignal.timeout(30_000));
    for await (const events of cursor) {
      for (const event of events) {
        if (event.turn !== posted.turn) continue;
        if (event.kind === "text") said += event.text;
        if (event.kind === until) {
          if (until === "turn-end") answer(said);
          return event;
        }
      }
    }
    throw new Error(`no ${until}`);
  };
  const answer = (content: string) => {
    transcript.push({ role: "bot", content, messageId: `b${count}`, attachments: [] });
  };
  const say = async (...args: Parameters<typeof post>) => follow(await post(...args));

  try {
    await say("ana", "hello", { model: "large" });
    await say("bob", "what runs now?", { model: "large" });

    const asking = await post("ana", "push it", { model: "large" });
    const asked = await follow(asking, "permission-ask");
    const permission = asked.kind === "permission-ask" ? asked.ask.id : "";
    const turn = asking.turn;
    for (const user of ["mallory", "bob", "ana"]) {
      const by = { key: `answer of ${user}`, user, at: 0 };
      if (user !== "ana") await submit({ kind: "cancel", ...by, key: user, turn, cause: "user" });
      await submit({ kind: "answer", ...by, permission, option: "yes" });
    }
    await follow(asking);

    await submit({ kind: "choose", key: "c1", user: "bob", agent: "two", at: 0 });
    await say("bob", "/logout");
    await life[Symbol.asyncDispose]();
    lines.push("(the relay is restarted)");
    life = await Life.start(directory);
    await say("ana", "still there?");
    await submit({ kind: "choose", key: "c2", user: "ana", agent: "", at: 0 });
    await say("ana", "and you?", { model: "large" });
    await submit({ kind: "reset", key: "r1", user: "ana", at: 0 });
    await say("bob", "a new start");

    const events = await life.store.read("c", 0, 1_000);
    await life[Symbol.asyncDispose]();
    const aliases = new Aliases();
    const sections = [
      ["What was posted", lines],
      ["The log", events.map(formatEvent)],
      ["What agent one received", readReceived(directory, "one")],
      ["What agent two received", readReceived(directory, "two")],
    ] as const;
    const text = sections.map(([title, all]) => `# ${title}\n${all.join("\n")}\n`).join("\n");
    await expect(aliases.replaceIn(text)).toMatchFileSnapshot("golden/conversation.txt");
  } finally {
    await life[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
});
