import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_QUEUED } from "../src/index.ts";
import {
  EDIT_RERUN_MS,
  EMPTY_QUEUE,
  type QueueEffect,
  type QueueEvent,
  REACTION_PATIENCE_MS,
  reduceQueue,
  type TurnQueue,
} from "../src/turn-queue.ts";

const run = (events: readonly QueueEvent[], from: TurnQueue = EMPTY_QUEUE) => {
  let queue = from;
  const effects: QueueEffect[] = [];
  for (const event of events) {
    const step = reduceQueue(queue, event);
    queue = step.queue;
    effects.push(...step.effects);
  }
  return { queue, effects };
};

type Post = Extract<QueueEvent, { kind: "prompt-posted" }>;
const post = (turn: string, about: Partial<Post> = {}): Post => ({
  kind: "prompt-posted",
  at: 1,
  turn,
  user: "ana",
  role: undefined,
  busy: "queue",
  active: { hasToolCall: false, takesSteering: false },
  ...about,
});
const react = (turn: string, at = 1): QueueEvent => ({
  kind: "reaction-posted",
  at,
  turn,
  user: "ana",
});
const next = (at = 1): QueueEvent => ({ kind: "next", at });
const cancel = (turn: string, user: string | undefined = "ana"): QueueEvent => ({
  kind: "cancel-posted",
  turn,
  cause: "user",
  user,
  role: undefined,
});
const replaces = (turn: string, wasEdited = false) => ({ replaces: { turn, wasEdited } });
const turns = (queue: TurnQueue) => queue.waiting.map(({ turn }) => turn);

/** Ana's turn runs, and one of hers and one of Bob's wait. */
const busy = run([post("ana1"), next(), post("bob1", { user: "bob" }), post("ana2")]).queue;

test("turns start in the order in which they were posted, one at a time", () => {
  const { queue, effects } = run([next(), { kind: "ended" }, next()], busy);
  expect(effects).toEqual([{ kind: "start", turn: "bob1", isCorrection: false }]);
  expect(queue).toMatchObject({ active: { turn: "bob1" }, waiting: [{ turn: "ana2" }] });
});

test("a prompt that waits is told behind which one", () => {
  const told = run([post("a"), next(), react("r"), post("b"), post("c")]).effects;
  expect(told.filter(({ kind }) => kind === "tell-queued")).toEqual([
    { kind: "tell-queued", turn: "a" },
    { kind: "tell-queued", turn: "b", behind: "a" },
    { kind: "tell-queued", turn: "c", behind: "b" },
  ]);
});

test.each<[string, Partial<Post>, string[], QueueEffect[]]>([
  ["queue", {}, ["bob1", "ana2", "new"], []],
  [
    "interrupt",
    { busy: "interrupt" },
    ["new", "bob1"],
    [
      { kind: "end", turn: "ana2", outcome: { kind: "cancelled", cause: "superseded" } },
      { kind: "cancel", cause: "superseded" },
    ],
  ],
  ["interrupt of another's turn", { busy: "interrupt", user: "bob" }, ["bob1", "ana2", "new"], []],
  [
    "interrupt by an approver",
    { busy: "interrupt", user: "eve", role: "approver" },
    ["new", "bob1", "ana2"],
    [{ kind: "cancel", cause: "superseded" }],
  ],
  [
    "steer",
    { busy: "steer", active: { hasToolCall: true, takesSteering: true } },
    ["new", "bob1", "ana2"],
    [{ kind: "offer", turn: "new" }],
  ],
  ["steer where the agent does not take it", { busy: "steer" }, ["new", "bob1", "ana2"], []],
  [
    "steer of another's turn",
    { busy: "steer", user: "bob", active: { hasToolCall: true, takesSteering: true } },
    ["bob1", "ana2", "new"],
    [],
  ],
])("a message under the policy %s", (_, about, waiting, effects) => {
  const step = run([post("new", about)], busy);
  expect(turns(step.queue)).toEqual(waiting);
  expect(step.effects.filter(({ kind }) => kind !== "tell-queued")).toEqual(effects);
  expect(step.queue.active?.turn).toBe("ana1");
});

test("several interrupts cancel the running turn once", () => {
  const about = { busy: "interrupt" } as const;
  const { queue, effects } = run([post("x", about), post("y", about)], busy);
  expect(effects.filter(({ kind }) => kind === "cancel")).toHaveLength(1);
  expect(turns(queue)).toEqual(["y", "bob1"]);
});

test.each<[boolean, QueueEffect[]]>([
  [true, [{ kind: "end", turn: "x", outcome: { kind: "skipped", reason: "steered" } }]],
  [false, [{ kind: "start", turn: "x", isCorrection: false }]],
])("an offered message does not start before the agent has said %s", (isTaken, effects) => {
  const active = { hasToolCall: false, takesSteering: true };
  const offered = run([
    post("a"),
    next(),
    post("x", { busy: "steer", active }),
    { kind: "ended" },
    next(),
  ]);
  expect(offered.queue).toMatchObject({ active: undefined, waiting: [{ turn: "x" }] });
  const answered = run([{ kind: "steered", turn: "x", isTaken }, next()], offered.queue);
  expect(answered.effects).toEqual(effects);
});

const edited = { kind: "cancelled", cause: "edited" } as const;
test.each<[string, Partial<Post>, string[], QueueEffect[], isCorrection?: boolean]>([
  [
    "that waits takes its place",
    { ...replaces("bob1"), user: "bob" },
    ["new", "ana2"],
    [{ kind: "end", turn: "bob1", outcome: edited }],
  ],
  [
    "that runs without a tool call cancels it",
    {
      ...replaces("ana1"),
      at: EDIT_RERUN_MS,
      active: { promptedAt: 1, hasToolCall: false, takesSteering: false },
    },
    ["new", "bob1", "ana2"],
    [{ kind: "cancel", cause: "edited" }],
  ],
  [
    "that waits for its session cancels it however long that took",
    { ...replaces("ana1"), at: 9 * EDIT_RERUN_MS },
    ["new", "bob1", "ana2"],
    [{ kind: "cancel", cause: "edited" }],
  ],
  [
    "that runs for long is a correction",
    {
      ...replaces("ana1"),
      at: EDIT_RERUN_MS + 1,
      active: { promptedAt: 1, hasToolCall: false, takesSteering: false },
    },
    ["new", "bob1", "ana2"],
    [],
    true,
  ],
  [
    "that runs with a tool call is a correction",
    { ...replaces("ana1"), active: { promptedAt: 1, hasToolCall: true, takesSteering: false } },
    ["new", "bob1", "ana2"],
    [],
    true,
  ],
  [
    "that was answered is not run by itself",
    replaces("gone"),
    ["bob1", "ana2"],
    [{ kind: "end", turn: "new", outcome: { kind: "skipped", reason: "answered" } }],
  ],
  [
    "whose earlier version made way for it waits",
    replaces("gone", true),
    ["bob1", "ana2", "new"],
    [],
  ],
  [
    "of somebody else changes nothing of it",
    replaces("bob1"),
    ["bob1", "ana2"],
    [{ kind: "end", turn: "new", outcome: { kind: "skipped", reason: "answered" } }],
  ],
])("the new version of a message %s", (_, about, waiting, effects, isCorrection = false) => {
  const step = run([post("new", about)], busy);
  expect(turns(step.queue)).toEqual(waiting);
  expect(step.queue.waiting.some((one) => one.isCorrection)).toBe(isCorrection);
  expect(step.effects.filter(({ kind }) => kind !== "tell-queued")).toEqual(effects);
});

test("a cancel of the running turn stops it although a correction of its message waits", () => {
  const active = { hasToolCall: true, takesSteering: false };
  const { queue, effects } = run(
    [post("v2", { ...replaces("ana1"), active }), cancel("ana1")],
    busy,
  );
  expect(effects.at(-1)).toEqual({ kind: "cancel", cause: "user" });
  expect(turns(queue)).toEqual(["v2", "bob1", "ana2"]);
});

test("a correction that is edited before it starts is still one", () => {
  const active = { hasToolCall: true, takesSteering: false };
  const first = run([post("v2", { ...replaces("ana1"), active })], busy).queue;
  const { queue } = run([post("v3", { ...replaces("ana1"), active })], first);
  const { effects } = run([{ kind: "ended" }, next()], queue);
  expect(effects).toEqual([{ kind: "start", turn: "v3", isCorrection: true }]);
});

test("an edit of an edit finds the message by any of its versions", () => {
  const first = run([post("v2", replaces("ana1"))], busy).queue;
  const { queue, effects } = run([post("v3", replaces("ana1"))], first);
  expect(turns(queue)).toEqual(["v3", "bob1", "ana2"]);
  expect(effects.at(-1)).toEqual({ kind: "end", turn: "v2", outcome: edited });
  expect(turns(run([cancel("v3")], queue).queue)).toEqual(["bob1", "ana2"]);
});

test.each<[string, string, string | undefined, QueueEffect[]]>([
  ["the requester", "ana1", "ana", [{ kind: "cancel", cause: "user" }]],
  ["the relay", "ana1", undefined, [{ kind: "cancel", cause: "user" }]],
  ["somebody else", "ana1", "bob", []],
  [
    "the requester of one that waits",
    "bob1",
    "bob",
    [{ kind: "end", turn: "bob1", outcome: { kind: "cancelled", cause: "user" } }],
  ],
  ["anybody, of one that is not there", "gone", "ana", []],
])("a cancel by %s", (_, turn, user, effects) => {
  expect(run([cancel(turn, user)], busy).effects).toEqual(effects);
});

test("a cancel of the running turn leaves those that wait in the queue", () => {
  expect(turns(run([cancel("ana1")], busy).queue)).toEqual(["bob1", "ana2"]);
});

test("reactions are shed before prompts, the oldest first", () => {
  const posts = Array.from({ length: MAX_QUEUED - 2 }, (_, n) => post(`p${n}`));
  const full = run([react("r1"), react("r2"), ...posts]).queue;
  expect(full.waiting).toHaveLength(MAX_QUEUED);
  expect(run([post("new")], full).effects.at(-1)).toEqual({ kind: "shed", turn: "r1" });
  expect(run([react("r3")], full).effects).toEqual([{ kind: "shed", turn: "r1" }]);
  const prompts = Array.from({ length: MAX_QUEUED }, (_, n) => post(`p${n}`));
  expect(run([...prompts, react("r4")]).effects.at(-1)).toEqual({ kind: "shed", turn: "r4" });
});

test("a reaction that has waited for a minute is dropped, a prompt never", () => {
  const late = 2 + REACTION_PATIENCE_MS;
  const { effects } = run([react("r1"), react("r2", 2), post("p"), next(late)]);
  expect(effects.slice(1)).toEqual([
    { kind: "shed", turn: "r1" },
    { kind: "start", turn: "r2", isCorrection: false },
  ]);
  expect(run([post("p"), next(99 * late)]).effects.at(-1)).toMatchObject({
    kind: "start",
    turn: "p",
  });
});

const name = fc.constantFrom("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7");
const user = fc.constantFrom("ana", "bob");
const anyPost = fc.record({
  turn: name,
  user,
  at: fc.nat({ max: 2 * EDIT_RERUN_MS }),
  busy: fc.constantFrom("queue" as const, "interrupt" as const, "steer" as const),
  active: fc.record({ hasToolCall: fc.boolean(), takesSteering: fc.boolean() }),
  target: fc.option(name, { nil: undefined }),
  wasEdited: fc.boolean(),
});
const anyEvent: fc.Arbitrary<QueueEvent> = fc.oneof(
  anyPost.map(
    ({ turn, target, wasEdited, ...about }): QueueEvent =>
      post(turn, { ...about, ...(target !== undefined && replaces(target, wasEdited)) }),
  ),
  name.map((turn) => react(turn)),
  fc.tuple(name, user).map(([turn, by]) => cancel(turn, by)),
  fc
    .tuple(name, fc.boolean())
    .map(([turn, isTaken]): QueueEvent => ({ kind: "steered", turn, isTaken })),
  fc.constant<QueueEvent>({ kind: "ended" }),
  fc.nat({ max: 99_999 }).map((at) => next(at)),
);

test("whatever happens, a posted turn waits, or starts once, or ends without ever starting: nothing is lost", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const posted = new Set<string>();
      const fresh = events.filter((event) => {
        if (event.kind !== "prompt-posted" && event.kind !== "reaction-posted") return true;
        const isFirst = !posted.has(event.turn);
        posted.add(event.turn);
        return isFirst;
      });
      const { queue, effects } = run(fresh);
      const fates = effects.flatMap((effect) =>
        effect.kind === "start" || effect.kind === "end" || effect.kind === "shed"
          ? [effect.turn]
          : [],
      );
      expect([...fates, ...turns(queue)].sort()).toEqual([...posted].sort());
    }),
  );
});
