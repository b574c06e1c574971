import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import {
  type CancelCause,
  createRouter,
  DEFAULT_TURN_LIMITS,
  type LogEvent,
  MAX_QUEUED,
  MemoryStore,
  type Router,
  type RouterConfig,
  type RouterReport,
  type TurnStart,
} from "../src/index.ts";
import { message, outcomeOf, textOf } from "./agent-rig.ts";
import { PuppetAgent } from "./puppet-agent.ts";

class Rig implements AsyncDisposable {
  readonly agent: PuppetAgent;
  readonly router: Router;
  readonly directory = mkdtempSync(path.join(tmpdir(), "turns-"));
  readonly reports: RouterReport[] = [];
  #posted = 0;

  constructor(config: Partial<RouterConfig> = {}, agent = new PuppetAgent()) {
    this.agent = agent;
    this.router = createRouter({
      agent,
      store: new MemoryStore(),
      stateDir: this.directory,
      roleOf: (user) => (user === "boss" ? "operator" : "user"),
      onReport: (report) => this.reports.push(report),
      ...config,
    });
  }

  /** Posts a message whose key is its text. */
  async post(text: string, about: Parameters<typeof message>[1] = {}): Promise<string> {
    this.#posted += 1;
    const item = message(text, { key: `${text}-${this.#posted}`, ...about });
    return (await this.router.submit("c", item)).turn;
  }

  async log(): Promise<LogEvent[]> {
    const last = await this.router.log("c").last();
    const cursor = this.router.log("c").follow({ after: 0 }, AbortSignal.timeout(5_000));
    const events: LogEvent[] = [];
    while (events.length < last) events.push(...((await cursor.next()) ?? []));
    return events;
  }

  /** The log up to an event that is wanted. */
  async until(wanted: (event: LogEvent) => boolean): Promise<LogEvent[]> {
    const cursor = this.router.log("c").follow({ after: 0 }, AbortSignal.timeout(5_000));
    const events: LogEvent[] = [];
    for await (const batch of cursor) {
      for (const event of batch) {
        events.push(event);
        if (wanted(event)) return events;
      }
    }
    throw new Error(`not seen in time: ${events.map(({ kind }) => kind).join(" ")}`);
  }

  /** A turn's events, once it has ended. */
  async ended(turn: string): Promise<LogEvent[]> {
    const events = await this.until((event) => event.kind === "turn-end" && event.turn === turn);
    return events.filter((event) => event.turn === turn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.router[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const rigs: Rig[] = [];
const open = (...args: ConstructorParameters<typeof Rig>): Rig => {
  const rig = new Rig(...args);
  rigs.push(rig);
  return rig;
};
afterEach(async () => {
  vi.useRealTimers();
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

const kinds = (events: readonly LogEvent[]) => events.map(({ kind }) => kind);

test("a new prompt starts only once the old one's response is there", async () => {
  const rig = open();
  rig.agent.heedsCancel = false;
  const first = await rig.post("one");
  const one = await rig.agent.prompted(1);
  const second = await rig.post("two");
  const cancelled = rig.router.cancelTurn("c", first, "user", "ana");
  await rig.until(({ kind }) => kind === "turn-start");
  one.say("late words");
  expect(rig.agent.prompts).toHaveLength(1);
  one.answer();
  await cancelled;
  const two = await rig.agent.prompted(2);
  two.answer();
  expect(textOf(await rig.ended(first))).toBe("late words");
  expect(outcomeOf(await rig.ended(first))).toEqual({ kind: "cancelled", cause: "user" });
  expect(outcomeOf(await rig.ended(second))).toMatchObject({ kind: "completed" });
});

test("a cancel of the running turn leaves those that wait", async () => {
  const rig = open();
  const first = await rig.post("one");
  await rig.agent.prompted(1);
  const second = await rig.post("two");
  await rig.router.cancelTurn("c", first, "user", "ana");
  (await rig.agent.prompted(2)).answer();
  expect(outcomeOf(await rig.ended(second))).toMatchObject({ kind: "completed" });
});

test("what an agent says before a turn's prompt, or behind its end, is in no turn", async () => {
  const rig = open();
  const first = await rig.post("one");
  const one = await rig.agent.prompted(1);
  one.answer();
  await rig.ended(first);
  one.say("afterthought");
  const events = await rig.until((event) => event.kind === "text");
  expect(events.at(-1)).toMatchObject({ text: "afterthought" });
  expect(events.at(-1)).not.toHaveProperty("turn");
});

test.each<CancelCause>(["user", "superseded", "edited", "deleted", "stalled", "limit", "shutdown"])(
  "every cause of a cancel is the outcome's cause: %s",
  async (cause) => {
    const rig = open();
    const running = await rig.post("one");
    const waiting = await rig.post("two");
    await rig.agent.prompted(1);
    await rig.router.cancelTurn("c", waiting, cause);
    await rig.router.cancelTurn("c", running, cause);
    for (const turn of [running, waiting]) {
      expect(outcomeOf(await rig.ended(turn))).toEqual({ kind: "cancelled", cause });
    }
  },
);

test("deleting a message drops its turn while it waits and cancels it while it runs", async () => {
  const rig = open();
  const running = await rig.post("one");
  await rig.agent.prompted(1);
  const waiting = await rig.post("two");
  await rig.router.cancelTurn("c", waiting, "deleted", "ana");
  await rig.router.cancelTurn("c", running, "deleted", "ana");
  expect(kinds(await rig.ended(waiting))).toEqual(["turn-queued", "turn-end"]);
  expect(rig.agent.cancels).toHaveLength(1);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a client that goes away ends its own person's turn and nobody else's, whatever that person may decide", async () => {
  const rig = open();
  const turn = await rig.post("one");
  await rig.agent.prompted(1);
  await rig.router.cancelTurn("c", turn, "user", "boss", "implied");
  expect(rig.agent.cancels).toEqual([]);
  await rig.router.cancelTurn("c", turn, "user", "ana", "implied");
  expect(outcomeOf(await rig.ended(turn))).toEqual({ kind: "cancelled", cause: "user" });
});

test("somebody else's message cannot be posted again while it is answered, nor changed", async () => {
  const rig = open();
  const turn = await rig.post("one", { key: "k" });
  const again = message("mine now", { key: "k", user: "bob" });
  expect(await rig.router.submit("c", again)).toMatchObject({ how: "refused", turn });
  const change = message("mine now", { user: "bob", replaces: turn });
  expect(await rig.router.submit("c", change)).toMatchObject({ how: "refused", turn });
  expect((await rig.router.submit("c", message("one", { key: "k" }))).how).toBe("repeat");
});

test("a message that was refused for a full queue can be sent again", async () => {
  const rig = open();
  await rig.post("running");
  await rig.agent.prompted(1);
  for (let n = 0; n < MAX_QUEUED; n++) await rig.post(`waits ${n}`);
  const refused = message("too many", { key: "k" });
  await expect(rig.router.submit("c", refused)).rejects.toMatchObject({ code: "queue-full" });
  (await rig.agent.prompted(1)).answer();
  await rig.agent.prompted(2);
  expect((await rig.router.submit("c", refused)).how).toBe("new");
});

test("with the policy interrupt a new message of the same person takes the running one's place", async () => {
  const rig = open({ busyPolicy: () => "interrupt" });
  const first = await rig.post("one");
  await rig.agent.prompted(1);
  const others = await rig.post("bob's", { user: "bob" });
  const second = await rig.post("two");
  expect(outcomeOf(await rig.ended(first))).toEqual({ kind: "cancelled", cause: "superseded" });
  const two = await rig.agent.prompted(2);
  expect(two.text).toBe("two");
  two.answer();
  const bobs = await rig.agent.prompted(3);
  expect(bobs.text).toBe("bob's");
  bobs.answer();
  expect(outcomeOf(await rig.ended(second))).toMatchObject({ kind: "completed" });
  expect(outcomeOf(await rig.ended(others))).toMatchObject({ kind: "completed" });
});

test("a steer reaches the running turn where the agent takes it, else it is the next prompt", async () => {
  const rig = open({ busyPolicy: () => "steer" }, new PuppetAgent({ steering: true }));
  const running = await rig.post("one");
  const one = await rig.agent.prompted(1);
  await rig.post("bob's", { user: "bob" });
  const passedOn = await rig.post("use pnpm");
  expect(outcomeOf(await rig.ended(passedOn))).toEqual({ kind: "skipped", reason: "steered" });
  expect(rig.agent.steers).toEqual(["use pnpm"]);
  rig.agent.takesSteering = async () => false;
  const refused = await rig.post("and lint");
  rig.agent.takesSteering = async () => {
    throw new Error("no");
  };
  const failed = await rig.post("and test");
  one.answer();
  const two = await rig.agent.prompted(2);
  expect(two.text).toBe("and lint");
  two.answer();
  const three = await rig.agent.prompted(3);
  expect(three.text).toBe("and test");
  three.answer();
  expect((await rig.agent.prompted(4)).text).toBe("bob's");
  const events = await rig.ended(running);
  expect(events.find(({ kind }) => kind === "steered")).toMatchObject({
    who: "ana",
    text: "use pnpm",
  });
  for (const turn of [refused, failed]) {
    expect(outcomeOf(await rig.ended(turn))).toMatchObject({ kind: "completed" });
  }
});

test("C31: a message joins the running turn only if it is admitted there, else it waits and is asked about again", async () => {
  const asked: TurnStart[] = [];
  const config: Partial<RouterConfig> = {
    busyPolicy: () => "steer",
    admitTurn: (start) => {
      asked.push(start);
      if (start.into && asked.length === 2) return { kind: "refused", text: "Paused." };
      return { kind: "admitted", ...(start.into && { notice: "Nearly used up." }) };
    },
  };
  const rig = open(config, new PuppetAgent({ steering: true }));
  const running = await rig.post("one");
  const one = await rig.agent.prompted(1);
  const refused = await rig.post("not now");
  await expect.poll(() => asked.length, { interval: 5 }).toBe(2);
  const taken = await rig.post("now");
  expect(outcomeOf(await rig.ended(taken))).toEqual({ kind: "skipped", reason: "steered" });
  expect(rig.agent.steers).toEqual(["now"]);
  one.answer();
  (await rig.agent.prompted(2)).answer();
  expect(outcomeOf(await rig.ended(refused))).toMatchObject({ kind: "completed" });
  const into = { turn: running, user: "ana" };
  expect(asked.map(({ turn, into }) => ({ turn, into }))).toEqual([
    { turn: running, into: undefined },
    { turn: refused, into },
    { turn: taken, into },
    { turn: refused, into: undefined },
  ]);
  expect((await rig.ended(running)).filter(({ kind }) => kind === "notice")).toMatchObject([
    { text: "Nearly used up." },
  ]);
});

test("a steered message whose turn ends meanwhile starts only once the agent has not taken it", async () => {
  const rig = open({}, new PuppetAgent({ steering: true }));
  const answer = Promise.withResolvers<boolean>();
  rig.agent.takesSteering = () => answer.promise;
  const running = await rig.post("one");
  const one = await rig.agent.prompted(1);
  const steer = await rig.post("two", { busy: "steer" });
  one.answer();
  await rig.ended(running);
  expect(rig.agent.prompts).toHaveLength(1);
  answer.resolve(false);
  (await rig.agent.prompted(2)).answer();
  expect(outcomeOf(await rig.ended(steer))).toMatchObject({ kind: "completed" });
});

test("of a message that is taken back while the agent thinks about taking it nothing is kept either", async () => {
  const rig = open({}, new PuppetAgent({ steering: true }));
  const answer = Promise.withResolvers<boolean>();
  rig.agent.takesSteering = () => answer.promise;
  await rig.post("one");
  const one = await rig.agent.prompted(1);
  const offered = await rig.post("also", { busy: "steer", key: "m" });
  await rig.router.cancelTurn("c", offered, "deleted");
  await rig.router.submit("c", { kind: "redact", key: "redact", message: "m", at: 1 });
  answer.resolve(true);
  await rig.until(({ kind }) => kind === "steered");
  const texts = async () =>
    (await rig.log()).flatMap((event) =>
      event.kind === "steered" || event.kind === "turn-queued" ? [event.text] : [],
    );
  await vi.waitFor(async () => expect(await texts()).toEqual(["one", "", ""]));
  one.answer();
});

test("a message that the agent takes as its turn ends stands in front of that end, or in no turn", async () => {
  const rig = open({}, new PuppetAgent({ steering: true }));
  const answer = Promise.withResolvers<boolean>();
  rig.agent.takesSteering = () => answer.promise;
  const first = await rig.post("one");
  const one = await rig.agent.prompted(1);
  const taken = await rig.post("also", { busy: "steer" });
  answer.resolve(true);
  one.answer();
  await rig.ended(taken);
  expect(kinds(await rig.ended(first)).slice(-2)).toEqual(["steered", "turn-end"]);

  const late = Promise.withResolvers<boolean>();
  rig.agent.takesSteering = () => late.promise;
  const second = await rig.post("two");
  const two = await rig.agent.prompted(2);
  const takenLate = await rig.post("more", { busy: "steer" });
  two.answer();
  await rig.ended(second);
  late.resolve(true);
  expect(outcomeOf(await rig.ended(takenLate))).toEqual({ kind: "skipped", reason: "steered" });
  const steers = (await rig.log()).filter(({ kind }) => kind === "steered");
  expect(steers.map(({ turn }) => turn)).toEqual([first, undefined]);
});

test("C13: a turn that somebody else has given a message asks although a policy allows what it does", async () => {
  const agent = new PuppetAgent({ steering: true });
  const rig = open({ permissionPolicy: () => "allow" }, agent);
  const turn = await rig.post("one");
  const one = await rig.agent.prompted(1);
  expect(await one.ask()).toMatchObject({ optionId: "yes" });
  await rig.ended(await rig.post("also", { user: "boss", busy: "steer" }));
  void one.ask();
  const events = await rig.until(({ kind }) => kind === "permission-ask");
  expect(events.at(-1)).toMatchObject({ turn });
});

test("an agent that has not said yet whether it takes a message holds up none of those that come behind a reset", async () => {
  const rig = open({}, new PuppetAgent({ steering: true }));
  const late = Promise.withResolvers<boolean>();
  rig.agent.takesSteering = () => late.promise;
  const running = await rig.post("one");
  const one = await rig.agent.prompted(1);
  const offered = await rig.post("also", { busy: "steer" });
  one.answer();
  await rig.ended(running);
  const reset = { kind: "reset", key: "r", user: "ana", turn: offered, at: 1 } as const;
  await rig.router.submit("c", reset);
  const next = await rig.post("two");
  (await rig.agent.prompted(2)).answer();
  expect(outcomeOf(await rig.ended(next))).toMatchObject({ kind: "completed" });
  late.resolve(false);
});

test("a message that is edited while it waits is replaced", async () => {
  const rig = open();
  await rig.post("one");
  const one = await rig.agent.prompted(1);
  const old = await rig.post("tow");
  const edited = await rig.post("two", { replaces: old });
  expect(outcomeOf(await rig.ended(old))).toEqual({ kind: "cancelled", cause: "edited" });
  one.answer();
  const two = await rig.agent.prompted(2);
  expect(two.text).toBe("two");
  two.answer();
  expect(outcomeOf(await rig.ended(edited))).toMatchObject({ kind: "completed" });
});

test("a message that is edited soon after its turn began is run anew with its new text", async () => {
  const rig = open();
  const old = await rig.post("fix the tset");
  (await rig.agent.prompted(1)).say("I will");
  await rig.post("fix the test", { replaces: old });
  expect(outcomeOf(await rig.ended(old))).toEqual({ kind: "cancelled", cause: "edited" });
  expect((await rig.agent.prompted(2)).text).toBe("fix the test");
});

test.each([
  ["has called a tool", 0, true],
  ["has run for half a minute", 30_000, false],
])(
  "a message that is edited when its turn %s is corrected by the next prompt",
  async (_, ms, tool) => {
    let now = 1_000_000;
    const rig = open({ now: () => now });
    const old = await rig.post("fix the tset");
    const one = await rig.agent.prompted(1);
    now += ms;
    if (tool) one.tool("t", "in_progress");
    await rig.post("fix the test", { replaces: old });
    expect(rig.agent.cancels).toEqual([]);
    one.answer();
    const two = await rig.agent.prompted(2);
    expect(two.text).toMatch(/changed.*fix the test$/s);
    expect(outcomeOf(await rig.ended(old))).toMatchObject({ kind: "completed" });
  },
);

test("a message that is edited after its answer is not run by itself", async () => {
  const rig = open();
  const old = await rig.post("one");
  (await rig.agent.prompted(1)).answer();
  await rig.ended(old);
  const edit = message("two", { replaces: old });
  expect(await rig.router.submit("c", edit)).toMatchObject({ how: "late", turn: old });
  expect(await rig.router.openTurns("c")).toEqual([]);
});

test("hidden thoughts are progress", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const rig = open();
  const turn = await rig.post("one");
  const prompt = await rig.agent.prompted(1);
  for (let n = 0; n < 10; n++) {
    await vi.advanceTimersByTimeAsync(DEFAULT_TURN_LIMITS.stallMs - 1_000);
    prompt.think("…");
  }
  prompt.answer();
  expect(kinds(await rig.ended(turn))).not.toContain("stalled");
});

test("an agent that falls silent is said to have stalled, and what it says then counts", async () => {
  const rig = open({ turnLimits: { stallMs: 20 } });
  const turn = await rig.post("one");
  const prompt = await rig.agent.prompted(1);
  const events = await rig.until(({ kind }) => kind === "stalled");
  expect(events.at(-1)).toMatchObject({ turn });
  prompt.say("here I am");
  prompt.answer();
  expect(textOf(await rig.ended(turn))).toBe("here I am");
});

test("a question that waits is no stall, however long it waits", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const rig = open({ turnLimits: { stallMs: 20, toolStallMs: 20, stallCeilingMs: 20 } });
  const turn = await rig.post("one");
  const prompt = await rig.agent.prompted(1);
  prompt.tool("t", "pending");
  const asked = prompt.ask();
  const events = await rig.until(({ kind }) => kind === "permission-ask");
  const permission = (events.at(-1) as Extract<LogEvent, { kind: "permission-ask" }>).ask.id;
  await vi.advanceTimersByTimeAsync(60_000);
  const answer = {
    kind: "answer",
    key: "a",
    user: "ana",
    permission,
    option: "yes",
    at: 1,
  } as const;
  await rig.router.submit("c", answer);
  expect(await asked).toEqual({ outcome: "selected", optionId: "yes" });
  prompt.answer();
  const ended = await rig.ended(turn);
  expect(kinds(ended)).not.toContain("stalled");
  expect(outcomeOf(ended)).toMatchObject({ kind: "completed" });
});

test("a turn says once that messages of its agent were too long to be read", async () => {
  const rig = open();
  const turn = await rig.post("one");
  const one = await rig.agent.prompted(1);
  one.say("before");
  one.lose();
  one.lose();
  one.say("after");
  one.answer();
  const events = await rig.ended(turn);
  expect(kinds(events).filter((kind) => kind === "notice" || kind === "text")).toEqual([
    "text",
    "notice",
    "text",
  ]);
  expect(events.find(({ kind }) => kind === "notice")).toMatchObject({
    level: "warning",
    text: expect.stringContaining("too long to be read"),
  });
});

test("a turn that is ended for its silence says so, and its agent is told to stop", async () => {
  const rig = open({ turnLimits: { stallMs: 20, stallCeilingMs: 60 } });
  const turn = await rig.post("one");
  const events = await rig.ended(turn);
  expect(kinds(events).slice(-2)).toEqual(["stalled", "turn-end"]);
  expect(outcomeOf(events)).toEqual({ kind: "cancelled", cause: "stalled" });
  expect(rig.agent.cancels).toHaveLength(1);
});

test("a turn that reaches the ceiling that an operator has set is ended although it works", async () => {
  const rig = open({ turnLimits: { turnCeilingMs: 100 } });
  const turn = await rig.post("one");
  const prompt = await rig.agent.prompted(1);
  const works = setInterval(() => prompt.say("."), 5);
  const outcome = outcomeOf(await rig.ended(turn));
  clearInterval(works);
  expect(outcome).toEqual({ kind: "cancelled", cause: "limit" });
});

test("the last turn is found behind whatever was said since", async () => {
  const rig = open();
  expect(await rig.router.lastTurn("c")).toBeUndefined();
  const first = await rig.post("one");
  (await rig.agent.prompted(1)).answer();
  await rig.ended(first);
  const turn = await rig.post("the last words", { key: "k" });
  const prompt = await rig.agent.prompted(2);
  for (let n = 0; n < 600; n++) {
    prompt.tool(`t${n}`, "completed");
    if (n % 50 === 0)
      await rig.until((event) => event.kind === "tool-start" && event.id === `t${n}`);
  }
  prompt.answer();
  const events = await rig.ended(turn);
  expect(events.length).toBeGreaterThan(600);
  const last = await rig.router.lastTurn("c");
  expect(last).toMatchObject({ turn, who: "ana", key: "k", text: "the last words" });
  expect(last?.after).toBe((events[0]?.seq ?? 0) - 1);
});

const react = (rig: Rig, reaction = "👍") =>
  rig.router.reportReaction("c", "ana", "m1", reaction, "added");
const ledger = (rig: Rig): unknown[] =>
  readFileSync(path.join(rig.directory, "reactions.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a reaction is in the ledger before anything that can fail", async () => {
  const rig = open();
  await rig.router[Symbol.asyncDispose]();
  await expect(react(rig)).rejects.toMatchObject({ code: "closed" });
  expect(ledger(rig)).toMatchObject([
    { conv_id: "c", user_id: "ana", message_id: "m1", reaction: "👍", action: "added" },
  ]);
});

test("a reaction runs to its end although whoever reported it has left", async () => {
  const rig = open();
  const turn = await rig.post("one");
  (await rig.agent.prompted(1)).answer();
  await rig.ended(turn);
  await react(rig);
  const told = await rig.agent.prompted(2);
  expect(told.text).toContain("👍");
  told.say("nobody sees this");
  const next = await rig.post("two");
  expect(rig.agent.prompts).toHaveLength(2);
  told.answer();
  (await rig.agent.prompted(3)).answer();
  await rig.ended(next);
  expect(rig.agent.cancels).toEqual([]);
  const log = await rig.log();
  expect(log.find(({ kind }) => kind === "reaction")).toMatchObject({ who: "ana", message: "m1" });
  expect(textOf(log)).toBe("");
});

test("a reaction opens no session that was not seeded", async () => {
  const rig = open();
  await react(rig);
  expect(rig.agent.opened).toEqual([]);
  const turn = await rig.post("one");
  const one = await rig.agent.prompted(1);
  expect(one.text).toBe("one");
  one.answer();
  await rig.ended(turn);
  expect(kinds(await rig.log())).not.toContain("reaction");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a turn that starts behind a reaction that nobody can be told ends before its router has closed", async () => {
  const rig = open();
  await rig.post("one");
  await rig.agent.prompted(1);
  await react(rig);
  const turn = await rig.post("two");
  rig.agent.crash();
  await rig.agent.prompted(2);
  await rig.router[Symbol.asyncDispose]();
  expect(outcomeOf(await rig.log())).toEqual({ kind: "cancelled", cause: "shutdown" });
  expect((await rig.log()).at(-1)?.turn).toBe(turn);
});

test("a tool that asks while the agent thinks about a reaction is told no, and nobody is asked", async () => {
  const rig = open();
  const turn = await rig.post("one");
  (await rig.agent.prompted(1)).answer();
  await rig.ended(turn);
  await react(rig);
  const told = await rig.agent.prompted(2);
  expect(await told.ask()).toEqual({ outcome: "selected", optionId: "no" });
  told.answer();
  expect(kinds(await rig.log())).not.toContain("permission-ask");
});
