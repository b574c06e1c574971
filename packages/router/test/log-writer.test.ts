import { expect, test } from "vitest";
import { MAX_EVENT_BYTES } from "../src/event-size.ts";
import { type EventBody, type NewEvent, RouterError, type RouterErrorCode } from "../src/index.ts";
import { LogWriter, MAX_UNSAVED_BYTES, SAVE_PATIENCE_MS } from "../src/log-writer.ts";

const text = (words: string): EventBody => ({ kind: "text", text: words });
const end: EventBody = { kind: "turn-end", outcome: { kind: "completed", stopReason: "end_turn" } };

/** A writer to a log that can be told to fail. */
class Rig {
  readonly log: NewEvent[][] = [];
  readonly failures: unknown[] = [];
  readonly lost: unknown[] = [];
  readonly writer: LogWriter;
  stuck = 0;
  now = 1_000;
  /** What appends fail with, until it is cleared. */
  broken: RouterErrorCode | undefined;

  constructor() {
    this.writer = new LogWriter({
      append: async (events) => {
        if (this.broken) throw new RouterError("broken", { code: this.broken });
        this.log.push([...events]);
      },
      now: () => this.now,
      onFailure: (error) => this.failures.push(error),
      onStuck: () => void this.stuck++,
      onLost: (error) => this.lost.push(error),
    });
  }

  /** What the log says, in short. */
  get said(): string[] {
    return this.log.flat().map((event) => ("text" in event ? event.text : event.kind));
  }
}

test("what is recorded in one tick is one transaction, and texts in it are one event", async () => {
  const { writer, log } = new Rig();
  writer.record(text("a"), "t");
  writer.record(text("b"), "t");
  writer.record(text("between"), undefined);
  await writer.flush();
  writer.record(text("c"), "t");
  await writer.flush();
  expect(log).toEqual([
    [
      { kind: "text", text: "ab", at: 1_000, turn: "t" },
      { kind: "text", text: "between", at: 1_000 },
    ],
    [{ kind: "text", text: "c", at: 1_000, turn: "t" }],
  ]);
});

test.each<EventBody>([
  { kind: "turn-end", outcome: { kind: "completed", stopReason: "\u0000".repeat(300_000) } },
  {
    kind: "permission-ask",
    ask: {
      id: "1",
      requester: "ana",
      title: "t".repeat(300_000),
      toolKind: "execute",
      subject: "ls",
      subjectFrom: "input",
      subjectCut: false,
      options: Array.from({ length: 5_000 }, (_, n) => ({
        id: `option ${n}`,
        name: "\u0000".repeat(900),
        kind: "allow_once",
      })),
      expiresAt: 1,
    },
  },
])(
  "an event that is larger than the log takes is cut, and still of its kind: %#",
  async (event) => {
    const { writer, log } = new Rig();
    writer.record(event, "t");
    await writer.flush();
    const [written] = log.flat();
    expect(written?.kind).toBe(event.kind);
    expect(Buffer.byteLength(JSON.stringify(written))).toBeLessThan(MAX_EVENT_BYTES);
    expect(JSON.stringify(written).length).toBeGreaterThan(256);
  },
);

test("what cannot be saved waits, and is saved behind a notice, in order and whole", async () => {
  const rig = new Rig();
  rig.writer.record(text("a"), "t");
  await rig.writer.flush();
  rig.broken = "unwritable";
  rig.writer.record(text("b"), "t");
  const first = rig.writer.flush();
  await new Promise(setImmediate);
  rig.writer.record(text("c"), "t");
  rig.writer.record(end, "t");
  const second = rig.writer.flush();
  await new Promise(setImmediate);
  expect(rig.said).toEqual(["a"]);
  rig.now += 12_000;
  rig.broken = undefined;
  await Promise.all([first, second]);
  const notice = "The relay could not save anything for 12 s.";
  expect(rig.said).toEqual(["a", notice, "b", "c", "turn-end"]);
  expect(rig.log[1]?.[0]).toMatchObject({ kind: "notice", level: "warning", turn: "t" });
  expect(rig.failures).toHaveLength(1);
  expect(rig.stuck).toBe(0);
});

test("when nothing could be saved for too long, what runs is told to end, and its end is saved later", async () => {
  const rig = new Rig();
  rig.broken = "unwritable";
  rig.writer.record(text("a"), "t");
  const flushed = rig.writer.flush();
  await new Promise(setImmediate);
  rig.now += SAVE_PATIENCE_MS;
  await expect.poll(() => rig.stuck).toBe(1);
  rig.writer.record(text("dropped"), "t");
  rig.writer.record(end, "t");
  rig.broken = undefined;
  await flushed;
  await rig.writer.flush();
  const notice =
    "The relay could not save anything for 30 s. Part of the agent's output is missing.";
  expect(rig.said).toEqual([notice, "a", "turn-end"]);
});

test("output that waits is bounded: beyond that it is dropped, and how the turn went is not", async () => {
  const rig = new Rig();
  rig.broken = "unwritable";
  rig.writer.record(text("a"), "t");
  const flushed = rig.writer.flush();
  await new Promise(setImmediate);
  const piece = "x".repeat(40_000);
  const pieces = Math.ceil(MAX_UNSAVED_BYTES / piece.length) + 50;
  for (let n = 0; n < pieces; n++) rig.writer.record(text(piece), "t");
  rig.writer.record(end, "t");
  expect(rig.stuck).toBe(1);
  rig.broken = undefined;
  await flushed;
  await rig.writer.flush();
  const saved = rig.said.filter((words) => words === piece).length * piece.length;
  expect(saved).toBeGreaterThan(MAX_UNSAVED_BYTES - 2 * piece.length);
  expect(saved).toBeLessThanOrEqual(MAX_UNSAVED_BYTES);
  expect(rig.said[0]).toContain("Part of the agent's output is missing.");
  expect(rig.said.at(-1)).toBe("turn-end");
});

test.each(["fenced", "corrupt", "closed"] as const)(
  "after an append that is %s nothing more is written, and every flush says so",
  async (code) => {
    const rig = new Rig();
    rig.broken = code;
    rig.writer.record(text("a"), "t");
    await expect(rig.writer.flush()).rejects.toMatchObject({ code });
    rig.broken = undefined;
    rig.writer.record(text("b"), "t");
    await expect(rig.writer.flush()).rejects.toMatchObject({ code });
    expect(rig.log).toEqual([]);
    expect(rig.lost).toHaveLength(1);
  },
);

test("an owner that leaves waits for nothing: the next failure is the last", async () => {
  const rig = new Rig();
  rig.broken = "unwritable";
  rig.writer.record(text("a"), "t");
  const flushed = rig.writer.flush();
  await new Promise(setImmediate);
  rig.writer.stopRetrying();
  await expect(flushed).rejects.toMatchObject({ code: "unwritable" });
  expect(rig.lost).toHaveLength(1);
});
