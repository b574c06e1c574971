import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { MemoryStore, type Store } from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { OwnerLock } from "../src/sqlite/owner-lock.ts";
import { SqliteStore } from "../src/sqlite/sqlite-store.ts";
import { storeFiles } from "../src/sqlite/store-files.ts";
import type { Prompt } from "./conversation-model.ts";
import { ConversationRig, type Home, SENT_FILE } from "./conversation-rig.ts";

const soak = process.env["ACP_KIT_SOAK"] === "1";
const stateDir = mkdtempSync(path.join(tmpdir(), "conversation-model-"));
writeFileSync(path.join(stateDir, SENT_FILE), "a");
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

type Command = { readonly name: string; run(rig: ConversationRig): Promise<void> | void };
const command = (name: string, run: Command["run"]): Command =>
  Object.assign({ name, run }, { [fc.toStringMethod]: () => name });
const plain = (name: string, run: Command["run"]) => fc.constant(command(name, run));

const user = fc.constantFrom("ana", "ana", "bob", "boss");
const index = fc.nat({ max: 4 });
/** One of the newest turns. */
const nameOf = (rig: ConversationRig, n: number) => `t${rig.model.turns.size - n}`;
let words = 0;

const prompt = fc.record({
  user,
  key: fc.constantFrom("k1", "k2", "k3", "", "", ""),
  busy: fc.constantFrom<Prompt["busy"]>("queue", "queue", "interrupt", "steer"),
  repeat: fc.constantFrom<Prompt["repeat"]>("attach", "rerun-once-delivered"),
  hasFile: fc.constantFrom(false, false, true),
});
/** A message, anew each time but for those that come again by their key. */
const fresh = (about: Omit<Prompt, "text">): Prompt => {
  words += 1;
  const key = about.key === "" ? `fresh ${words}` : about.key;
  return { ...about, key, text: `word of ${key}` };
};

/** What ends everything that runs, so that it must not come too often. */
const upheavals: fc.Arbitrary<Command> = fc.oneof(
  plain("the agent fails", (rig) => rig.respond(true)),
  plain("the agent crashes", (rig) => rig.crashAgent()),
  plain("the router closes", (rig) => rig.close()),
  plain("the router retires", (rig) => rig.retire()),
  plain("the process is killed", (rig) => rig.kill()),
);

const edits = fc
  .tuple(prompt, index)
  .map(([about, n]) =>
    command(`edit of -${n} ${JSON.stringify(about)}`, (rig) =>
      rig.model.turns.size > n
        ? rig.post([fresh({ ...about, key: "", replaces: nameOf(rig, n) })])
        : undefined,
    ),
  );

const bursts = fc
  .tuple(fc.integer({ min: 2, max: 12 }), user)
  .map(([count, by]) =>
    command(`${count} prompts of ${by} at once`, (rig) =>
      rig.post(
        Array.from({ length: count }, () =>
          fresh({ user: by, key: "", busy: "queue", repeat: "attach" }),
        ),
      ),
    ),
  );

const cancels = fc
  .tuple(index, user, fc.boolean())
  .map(([n, by, implied]) =>
    command(`cancel of -${n} by ${by}${implied ? ", implied" : ""}`, (rig) =>
      rig.cancel(nameOf(rig, n), by, implied),
    ),
  );

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 7,
    arbitrary: prompt.map((about) =>
      command(`prompt ${JSON.stringify(about)}`, (rig) => rig.post([fresh(about)])),
    ),
  },
  bursts,
  { weight: 6, arbitrary: edits },
  { weight: 2, arbitrary: cancels },
  fc
    .constantFrom("k1", "k2", "k3")
    .map((key) => command(`${key} is delivered`, (rig) => rig.deliver(key))),
  {
    weight: 2,
    arbitrary: user.map((by) => command(`reaction of ${by}`, (rig) => rig.react(by))),
  },
  plain("text", (rig) => rig.say("word")),
  plain("late text", (rig) => rig.sayLate("late")),
  { weight: 2, arbitrary: plain("tool", (rig) => rig.startTool()) },
  { weight: 2, arbitrary: plain("question", (rig) => rig.ask()) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(index, user)
      .map(([n, by]) => command(`answer ${n} by ${by}`, (rig) => rig.answer(n, by))),
  },
  { weight: 4, arbitrary: plain("the agent answers", (rig) => rig.respond(false)) },
  plain("the agent takes steering, or not", (rig) => {
    rig.model.takesSteering = !rig.model.takesSteering;
  }),
  {
    weight: 2,
    arbitrary: fc.constantFrom(1_000, 29_999, 61_000).map((ms) =>
      command(`${ms} ms pass`, (rig) => {
        // What a minute means to the agent while it thinks about a reaction, its timer decides.
        if (rig.model.active?.text !== undefined || !rig.model.active) rig.model.now += ms;
      }),
    ),
  },
  plain("the agent is slow to take a message, or not", (rig) => {
    rig.model.isSlow = !rig.model.isSlow;
  }),
  plain("the agent takes the message", (rig) => rig.answerOffer(true)),
  plain("the agent does not take the message", (rig) => rig.answerOffer(false)),
  plain("files come no more, or again", (rig) => rig.toggleFiles()),
  plain("the agent sends a file", (rig) => rig.sendFile(false)),
  plain("the agent sends a file and answers", (rig) => rig.sendFile(true)),
  fc
    .tuple(fc.constantFrom(SENT_FILE, "none"), user)
    .map(([file, by]) => command(`${by} asks for ${file}`, (rig) => rig.askForFile(file, by))),
  fc
    .tuple(fc.nat({ max: 3 }), user)
    .map(([n, by]) => command(`reset of ${by} for -${n}`, (rig) => rig.reset(nameOf(rig, n), by))),
  { weight: 2, arbitrary: upheavals },
);

async function follow(home: Home, sequence: readonly Command[]): Promise<void> {
  await using rig = await ConversationRig.open(home);
  for (const { name, run } of sequence) {
    await run(rig);
    await rig.check(name);
  }
}

const law = (home: Home, runsInSuite: number) =>
  fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 40, size: "max" }), (sequence) =>
      follow(home, sequence),
    ),
    soak ? { numRuns: 20_000 } : { numRuns: runsInSuite, seed: 20_261_201 },
  );

const patience = soak ? 3_600_000 : 120_000;

test("whatever is posted and in whatever order, the log is what the model says", {
  timeout: patience,
}, async () => {
  const store = new MemoryStore();
  await law({ stateDir, open: async () => store }, 300);
});

/** Stores over one database; the newest one can be cut off from it as by the death of its process. */
class MortalStores implements Home {
  readonly stateDir = stateDir;
  readonly #files = storeFiles(path.join(stateDir, "store"));
  #living: { store: SqliteStore; lock: OwnerLock; cut: AbortController } | undefined;
  readonly #dead: SqliteStore[] = [];

  async open(): Promise<Store> {
    if (!this.#living) {
      const database = new DatabaseSync(this.#files.database);
      database.exec("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5");
      const lock = OwnerLock.take(this.#files.owners);
      database.prepare("INSERT INTO owners VALUES (?, ?)").run(lock.id, process.pid);
      const store = new SqliteStore(database, this.#files.database, lock, "epoch");
      this.#living = { store, lock, cut: new AbortController() };
    }
    const { store, cut } = this.#living;
    return cutOff(store, cut.signal);
  }

  async kill(): Promise<void> {
    this.#living?.cut.abort();
    this.#living?.lock[Symbol.dispose]();
    if (this.#living) this.#dead.push(this.#living.store);
    this.#living = undefined;
  }

  /** Closes what is left of the dead. */
  async bury(): Promise<void> {
    for (const store of this.#dead.splice(0)) await store[Symbol.asyncDispose]();
  }
}

/** A store that does and says nothing any more once it is cut off. */
function cutOff(store: Store, signal: AbortSignal): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) =>
        signal.aborted ? new Promise(() => undefined) : Reflect.apply(member, target, args);
    },
  });
}

test("so it is in SQLite, also when processes die", { timeout: patience }, async () => {
  await using first = await openSqliteStore({ directory: path.join(stateDir, "store") });
  expect(await first.orphans()).toEqual([]);
  const stores = new MortalStores();
  await law(stores, 100);
});
