import { access, rm } from "node:fs/promises";
import path from "node:path";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  type PromptItem,
  type Router,
  RouterError,
  type Store,
} from "../src/index.ts";
import { ConversationModel, may, type Prompt } from "./conversation-model.ts";
import { PuppetAgent, type PuppetPrompt } from "./puppet-agent.ts";

/** A store that several routers use one after another, some of which die. */
export type Home = {
  readonly stateDir: string;
  /** The store as the next router has it. */
  open(): Promise<Store>;
  /** The process that uses the newest one is killed. Absent: nothing outlives that. */
  kill?(): Promise<void>;
  /** Removes what is left of those that were killed. */
  bury?(): Promise<void>;
};

/** How long the router may take to do what the model says, in milliseconds. */
const PATIENCE_MS = 2_000;

/** A file of the workspace: the one that the agent may send. */
export const SENT_FILE = "a.txt";

let conversations = 0;

/** One conversation of a router, and the model of it: both are told the same, and have to say the same. */
export class ConversationRig {
  readonly model = new ConversationModel();
  readonly #home: Home;
  readonly #conversation = `c${++conversations}`;
  readonly #names = new Map<string, string>();
  readonly #received: string[] = [];
  #agent = new PuppetAgent({ steering: true });
  #seen = 0;
  #router: Router;
  #store: Store;
  #posts = 0;
  #step = "";
  /** The last prompt that was answered, in the session that is attached. */
  #answered: PuppetPrompt | undefined;
  /** Messages of which the agent has not said yet whether it takes them, oldest first. */
  #held: ((isTaken: boolean) => void)[] = [];
  /** Lets the files come that are waited for. */
  #coming = Promise.withResolvers<void>();
  #arrived = 0;
  #asked = 0;
  #settled = 0;

  private constructor(home: Home, store: Store) {
    this.#home = home;
    this.#store = store;
    this.#coming.resolve();
    this.#router = this.#createRouter();
  }

  static async open(home: Home): Promise<ConversationRig> {
    return new ConversationRig(home, await home.open());
  }

  #createRouter(): Router {
    this.#agent = new PuppetAgent({ steering: true });
    this.#agent.heedsCancel = false;
    this.#agent.takesSteering = async () => {
      const { isSlow, takesSteering } = this.model;
      this.#asked += 1;
      return isSlow ? new Promise((answer) => this.#held.push(answer)) : takesSteering;
    };
    this.#seen = 0;
    this.#answered = undefined;
    this.#held = [];
    const agent = this.#agent;
    const fetch = async ({ signal }: { signal?: AbortSignal }) => {
      await Promise.race([this.#coming.promise, aborted(signal)]);
      signal?.throwIfAborted();
      if (agent === this.#agent) this.#arrived += 1;
      throw new Error("There is no such file, which is as good as one here");
    };
    return createRouter({
      agent,
      store: this.#store,
      stateDir: this.#home.stateDir,
      downloads: () => ({ fetch }),
      sending: () => ({ maxFiles: 1_000 }),
      workspaceFor: () => ({ cwd: this.#home.stateDir, roots: [], filesDir: this.#filesDir }),
      roleOf: (user) => (user === "boss" ? "operator" : "user"),
      now: () => this.model.now,
    });
  }

  get #filesDir(): string {
    return path.join(this.#home.stateDir, `files of ${this.#conversation}`);
  }

  /** What the agent has in hand. */
  get #prompt(): PuppetPrompt | undefined {
    return this.#agent.open[0];
  }

  async post(prompts: readonly Prompt[]): Promise<void> {
    const posted = prompts.map(async ({ replaces, hasFile, ...prompt }) => {
      const turn = this.#turnOf(replaces ?? "");
      const file = { url: "https://files.test/a", name: "a", contentType: "", parsedContent: "" };
      const attachments = hasFile ? [file] : [];
      const item: PromptItem = {
        kind: "prompt",
        ...prompt,
        query: [{ role: "user", content: prompt.text, messageId: prompt.key, attachments }],
        options: DEFAULT_OPTIONS,
        at: this.model.now,
        ...(turn !== undefined && { replaces: turn }),
      };
      return this.#say(await this.#submit(item));
    });
    this.#expect(await Promise.all(posted), this.model.post(prompts));
  }

  async deliver(key: string): Promise<void> {
    const known = this.model.keys.get(key);
    if (known) known.delivered = true;
    const log = this.#router.log(this.#conversation);
    const { seq } = await log.checkpoint("reader");
    await log.confirm("reader", seq, { seq: await log.last(), delivered: [key] });
  }

  async cancel(name: string, user: string, implied: boolean): Promise<void> {
    const turn = this.#turnOf(name);
    if (turn === undefined) return;
    this.#posts += 1;
    const item = {
      kind: "cancel",
      key: `cancel ${this.#posts}`,
      user,
      turn,
      cause: "user",
    } as const;
    const { how } = await this.#router.submit(this.#conversation, {
      ...item,
      implied,
      at: this.model.now,
    });
    this.#expect(how, this.model.cancel(name, user, implied));
  }

  async react(user: string): Promise<void> {
    await this.#router.reportReaction(this.#conversation, user, "m", "👍", "added");
    this.model.react(user);
  }

  /** @param name - Of the turn that is to end for it, if there is one. */
  async reset(name: string, user: string): Promise<void> {
    this.#posts += 1;
    const turn = this.#turnOf(name);
    const { how } = await this.#router.submit(this.#conversation, {
      kind: "reset",
      key: `reset ${this.#posts}`,
      user,
      ...(turn !== undefined && { turn }),
      at: this.model.now,
    });
    this.#answered = undefined;
    this.#expect(how, this.model.reset(turn && name, user));
  }

  /** A person asks for a file of the agent's. */
  async askForFile(file: string, user: string): Promise<void> {
    this.#posts += 1;
    const key = `send ${this.#posts}`;
    const item = { kind: "send", key, user, path: file, at: this.model.now } as const;
    const { how } = await this.#router.submit(this.#conversation, item);
    this.#expect(how, "new");
    this.model.log.push(file === SENT_FILE ? "f -" : "n -");
  }

  /** A tool of the agent's sends a file, and the agent answers its prompt meanwhile, or not. */
  async sendFile(answers: boolean): Promise<void> {
    const { active } = this.model;
    const isTold = active?.text !== undefined && active.promptedAt !== undefined;
    const sent = this.#router.sendFile(this.#conversation, { path: SENT_FILE });
    if (isTold) this.model.log.push(`f ${active.name}`);
    if (answers && isTold) this.respond(false);
    this.#expect((await sent).kind, isTold ? "sent" : "refused");
  }

  /** Files stay away from now on, or come. */
  toggleFiles(): void {
    const { model } = this;
    model.areFilesComing = !model.areFilesComing;
    if (model.areFilesComing) this.#coming.resolve();
    else this.#coming = Promise.withResolvers();
    model.next();
  }

  /** The agent says whether it takes a message that it has been offered. */
  answerOffer(isTaken: boolean): void {
    const [offer] = this.model.offers;
    this.#held.shift()?.(isTaken);
    if (offer) this.model.answerOffer(offer, isTaken);
  }

  #dropOffers(): void {
    for (const answer of this.#held.splice(0)) answer(false);
  }

  say(word: string): void {
    if (!this.#prompt) return;
    this.#prompt.say(word);
    this.model.say(word);
  }

  /** Words of a prompt that was answered long ago. */
  sayLate(word: string): void {
    if (!this.#answered) return;
    this.#answered.say(word);
    this.model.say(word);
  }

  startTool(): void {
    const { active } = this.model;
    if (!this.#prompt || !active) return;
    this.#prompt.tool(`tool ${this.model.log.length}`, "in_progress");
    active.hasTool = true;
    if (active.text) this.model.log.push(`o ${active.name}`);
  }

  ask(): void {
    if (!this.#prompt) return;
    void this.#prompt.ask();
    const { active } = this.model;
    if (!active?.text || active.cause) return;
    this.model.asks += 1;
    this.model.log.push(`? ${active.name}`);
  }

  async answer(index: number, user: string): Promise<void> {
    const { active } = this.model;
    const asks = this.#router.running(this.#conversation)?.asks ?? [];
    this.#expect(asks.length, this.model.asks);
    const ask = asks[index % Math.max(1, asks.length)];
    if (!ask || !active) return;
    this.#posts += 1;
    const { how } = await this.#router.submit(this.#conversation, {
      kind: "answer",
      key: `answer ${this.#posts}`,
      user,
      permission: ask.id,
      option: "yes",
      at: this.model.now,
    });
    this.#expect(how, may(user, active) ? "new" : "refused");
    if (how === "refused") return;
    this.model.asks -= 1;
    this.model.log.push(`! ${active.name} selected yes ${user}`);
  }

  /** The agent answers its prompt. */
  respond(fails: boolean): void {
    const prompt = this.#prompt;
    if (!prompt) return;
    // A session that a reset has ended is heard no more.
    this.#answered = this.model.isOver ? undefined : prompt;
    if (fails) prompt.fail(Object.assign(new Error("boom"), { code: -32603 }));
    else prompt.answer();
    this.model.over(fails ? "failed" : "completed");
  }

  crashAgent(): void {
    const { model } = this;
    this.#answered = undefined;
    this.#agent.crash();
    this.#dropOffers();
    model.isAttached = false;
    if (model.active?.promptedAt !== undefined) model.over("agent-exited");
    for (const offer of model.offers) model.answerOffer(offer, false);
  }

  /** The router is closed, and another one takes its place. */
  async close(): Promise<void> {
    const { model } = this;
    for (const turn of model.waiting.splice(0)) model.end(turn, "cancelled shutdown");
    if (model.active) model.stop(model.active, "shutdown");
    const closed = this.#router[Symbol.asyncDispose]();
    await setImmediates(1);
    this.#prompt?.answer();
    this.#dropOffers();
    await closed;
    await this.#reopen("completed");
  }

  /** The router finishes what runs, and leaves the rest to another one. */
  async retire(): Promise<void> {
    const { model } = this;
    // What runs goes on to its end, so its files have to come.
    if (model.active?.promptedAt === undefined && !model.areFilesComing) {
      this.toggleFiles();
      await this.check("files for the last turn");
    }
    const retired = this.#router.retire();
    await setImmediates(1);
    this.#prompt?.answer();
    this.#dropOffers();
    await retired;
    await this.#router[Symbol.asyncDispose]();
    await this.#reopen("completed");
  }

  /** The process of router and agent is killed, and another one takes over. */
  async kill(): Promise<void> {
    const { model } = this;
    // A reaction that was not told may come again after a death, or not: nobody relies on either.
    if (!this.#home.kill || model.waiting.some(({ text }) => !text)) return;
    this.#note();
    await this.#home.kill();
    this.#agent.crash();
    model.endAsks("expired");
    if (model.active) model.active.cause = undefined;
    await this.#reopen("interrupted");
  }

  /** @param how - What runs ends so, and then another owner comes. */
  async #reopen(how: string): Promise<void> {
    this.#note();
    this.#store = await this.#home.open();
    this.#router = this.#createRouter();
    const { model } = this;
    const waiting = model.waiting.splice(0);
    if (model.active && model.active.promptedAt === undefined) {
      waiting.push(model.active);
      model.active = undefined;
    }
    model.over(how);
    model.waiting = waiting;
    model.takeOver();
    await this.#router.recover();
  }

  /** Compares everything that can be seen. @param step - What has just happened. */
  async check(step: string): Promise<void> {
    this.#step = step;
    const expected = this.model.log;
    let log = await this.#readLog();
    const late = performance.now() + PATIENCE_MS;
    const isDone = () =>
      log.length >= expected.length &&
      this.#arrived >= this.model.arrived &&
      this.#asked >= this.model.asked;
    while (!isDone() && performance.now() < late) {
      await setImmediates(1);
      log = await this.#readLog();
    }
    this.#expect(log, expected);
    await this.#settle();
    const { arrived, asked, offers } = this.model;
    this.#expect([this.#arrived, this.#asked, this.#held.length], [arrived, asked, offers.length]);
    this.#note();
    this.#expect(this.#received, this.model.received);
    const open = await this.#router.openTurns(this.#conversation);
    const waits = [...this.model.turns.values()].filter((turn) => !turn.end);
    this.#expect(
      open.map(({ turn }) => this.#names.get(turn)).sort(),
      waits.map(({ name }) => name).sort(),
    );
  }

  /** Nothing tells that a message was not taken, or that its files are put away: the disk is asked behind them. */
  async #settle(): Promise<void> {
    const count = this.#arrived + this.#asked;
    if (count === this.#settled) return;
    this.#settled = count;
    for (let n = 0; n < 3; n++) {
      await access(this.#home.stateDir);
      await setImmediates(2);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#router[Symbol.asyncDispose]();
    await setImmediates(1);
    this.#prompt?.answer();
    this.#dropOffers();
    await closed;
    await this.#home.bury?.();
    await rm(this.#filesDir, { recursive: true, force: true });
  }

  /** Notes what this agent was sent since the last time. */
  #note(): void {
    for (const one of this.#agent.received.slice(this.#seen)) {
      const text = one === "cancel" ? one : one.text;
      const isReaction = text.startsWith("[From the relay");
      const said = isReaction ? "reaction" : text.replace(/^.*changed.*\n\n/s, "changed: ");
      const hasFile = one !== "cancel" && one.blocks.some(({ type }) => type === "resource_link");
      this.#received.push(`${said}${hasFile ? " +file" : ""}`);
    }
    this.#seen = this.#agent.received.length;
  }

  async #submit(item: PromptItem) {
    try {
      return await this.#router.submit(this.#conversation, item);
    } catch (error) {
      if (error instanceof RouterError && error.code === "queue-full") return error.code;
      throw error;
    }
  }

  #say(posted: Awaited<ReturnType<Router["submit"]>> | "queue-full"): string {
    if (posted === "queue-full") return posted;
    if (posted.how === "new") this.#names.set(posted.turn, `t${this.#names.size + 1}`);
    return `${posted.how} ${this.#names.get(posted.turn)}`;
  }

  #turnOf(name: string): string | undefined {
    return [...this.#names].find(([, known]) => known === name)?.[0];
  }

  async #readLog(): Promise<string[]> {
    const lines: string[] = [];
    let after = 0;
    for (;;) {
      const events = await this.#store.read(this.#conversation, after, 1_000);
      if (events.length === 0) return lines;
      for (const event of events) lines.push(...this.#format(event));
      after = events.at(-1)?.seq ?? after;
    }
  }

  #format(event: LogEvent): string[] {
    const turn = event.turn === undefined ? "-" : this.#names.get(event.turn);
    switch (event.kind) {
      case "turn-queued": {
        const behind = event.behind === undefined ? "" : ` <${this.#names.get(event.behind)}`;
        return [`q ${turn} ${event.text} #${event.attempt}${behind}`];
      }
      case "turn-start":
        return [`s ${turn}`];
      case "text":
        return [`x ${turn} ${event.text}`];
      case "tool-start":
        return [`o ${turn}`];
      case "permission-ask":
        return [`? ${turn}`];
      case "permission-answer":
        return [
          `! ${turn} ${event.end}${event.option ? ` ${event.option.id}` : ""}${event.by ? ` ${event.by}` : ""}`,
        ];
      case "file":
        return [`f ${turn}`];
      case "notice":
        return turn === "-" ? [`n ${turn}`] : [];
      case "session-reset":
        return [`z ${event.who}`];
      case "steered":
        return [`> ${turn} ${event.who} ${event.text}`];
      case "reaction":
        return [`r ${event.who}`];
      case "turn-end": {
        const { outcome } = event;
        const why =
          outcome.kind === "cancelled"
            ? ` ${outcome.cause}`
            : outcome.kind === "skipped"
              ? ` ${outcome.reason}`
              : "";
        return [`e ${turn} ${outcome.kind}${why}`];
      }
      default:
        return [];
    }
  }

  #expect(actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1)];
    if (is === should) return;
    throw new Error(`after ${this.#step} the router says\n${is}\nand the model\n${should}`);
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function setImmediates(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}
