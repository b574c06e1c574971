import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChunkSink, Cursor, LogEvent, MarkupRenderer, TurnOutcome } from "../src/index.ts";
import { pipeToSink } from "../src/index.ts";
import { anyTurn } from "./any-event.ts";

/** A cursor over a log that was cut into batches. */
function cursorOf(batches: readonly (readonly LogEvent[])[]): Cursor {
  const left = [...batches];
  return {
    seq: 0,
    next: async () => left.shift(),
    [Symbol.asyncDispose]: async () => {},
    async *[Symbol.asyncIterator]() {
      yield* left;
    },
  };
}

/** Shows everything, and takes its last word back when something else follows. */
const renderer: MarkupRenderer<string> = {
  render: ({ segments, outcome }) => ({
    parts: [
      ...Array.from(segments, (one) => (one.kind === "text" ? one.text : `[${one.kind}]`)),
      ...(outcome ? [] : ["…"]),
    ],
  }),
  say: (_, text) => text,
};

type Call = readonly [name: string, ...rest: readonly string[]];

async function pipe(batches: readonly (readonly LogEvent[])[]) {
  const calls: Call[] = [];
  const note =
    (name: string) =>
    (...rest: string[]) =>
      void calls.push([name, ...rest]);
  const sink: ChunkSink = {
    text: note("text"),
    replace: note("replace"),
    error: note("error"),
    done: note("done"),
    firstChunk: note("first"),
    setProviderEmoji: note("emoji"),
    setStatus: note("status"),
  };
  const show = { thoughts: true, plan: true, tools: true, toolDetails: true };
  const outcome = await pipeToSink(cursorOf(batches), sink, renderer, show, "t", () => 0);
  return { calls, outcome };
}

const outcomes: TurnOutcome[] = [
  { kind: "completed", stopReason: "end_turn" },
  { kind: "cancelled", cause: "user" },
  { kind: "failed", phase: "prompt", code: "agent-error", message: "It failed." },
  { kind: "agent-exited", phase: "prompt", code: 1, signal: null },
  { kind: "interrupted" },
];

/** A turn as it is logged, cut anywhere, whose model may be told late. */
const turns = fc
  .tuple(
    anyTurn,
    fc.nat({ max: 40 }),
    fc.constantFrom(...outcomes),
    fc.infiniteStream(fc.boolean()),
  )
  .map(([bodies, place, outcome, cuts]) => {
    const at = 0;
    const model: Omit<LogEvent, "seq"> = {
      kind: "config",
      model: "a/1",
      at,
      turn: "t",
    } as LogEvent;
    const end = { kind: "turn-end", outcome, at, turn: "t" } as const;
    const events = [...bodies.toSpliced(place, 0, model as LogEvent), end].map(
      (event, index): LogEvent => ({ ...event, seq: index + 1 }) as LogEvent,
    );
    const batches: LogEvent[][] = [[]];
    for (const event of events) {
      if (cuts.next().value) batches.push([]);
      batches.at(-1)?.push(event);
    }
    return batches.filter((batch) => batch.length > 0);
  });

const isOutput = ({ kind }: LogEvent) =>
  /^(text|thought|tool-start|tool-update|plan|permission-ask|file|content)$/.test(kind);

test("whatever the log of a turn holds, a sink hears the emoji before any text, of the first chunk once, and of the end once and last", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (batches) => {
      const { calls } = await pipe(batches);
      const names = calls.map(([name]) => name);
      const count = (name: string) => names.filter((one) => one === name).length;
      const firstShown = names.findIndex((name) => name === "text" || name === "replace");
      expect(count("emoji")).toBeLessThanOrEqual(1);
      if (firstShown >= 0) expect(names.indexOf("emoji")).toBeLessThan(firstShown);
      // A question ends the part: what stands behind its batch is not shown here.
      const asked = batches.findIndex((batch) =>
        batch.some(({ kind }) => kind === "permission-ask"),
      );
      const seen = batches.slice(0, asked < 0 ? undefined : asked + 1).flat();
      if (asked < 0) expect(count("first")).toBe(seen.some(isOutput) ? 1 : 0);
      else expect(count("first")).toBe(1);
      expect(count("done")).toBe(1);
      expect(names.at(-1)).toBe("done");
      expect(count("error")).toBeLessThanOrEqual(1);
      if (count("error") === 1) expect(names.at(-2)).toBe("error");
    }),
  );
});

test("what a sink has shown in the end is what the renderer shows of the whole turn", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (batches) => {
      const { calls, outcome } = await pipe(batches);
      if (!outcome) return;
      const shown = calls.reduce((body, [name, text = ""]) => {
        if (name === "text") return body + text;
        return name === "replace" ? text : body;
      }, "");
      const [whole] = (await pipe([batches.flat()])).calls.filter(([name]) => name === "text");
      expect(shown).toBe(whole?.[1] ?? "");
    }),
  );
});
