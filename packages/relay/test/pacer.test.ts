import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idlePacer, nextFlush, type PacerState, reducePacer } from "../src/pacer.ts";

type Case =
  | {
      id: string;
      fn: "flushDelay";
      input: { period_ms: number; now_ms: number };
      expect: number;
    }
  | {
      id: string;
      fn: "flushNow";
      input: {
        chunk: number;
        since_first_ms: number;
        pending_bytes: number;
        has_paragraph: boolean;
      };
      expect: boolean;
    }
  | { id: string; fn: (typeof elsewhere)[number] };

/** What else the file holds: the Poe renderer's and the Poe writer's. */
const elsewhere = [
  "body",
  "attach",
  "escapeFlags",
  "escapeFlagsStream",
  "statusLine",
  "footer",
  "spinner",
  "checklist",
  "frames",
] as const;

const { cases } = JSON.parse(
  readFileSync(new URL("./vectors/poe-render.json", import.meta.url), "utf8"),
) as { cases: Case[] };

function pacing(fields: Partial<Extract<PacerState, { kind: "pacing" }>> = {}): PacerState {
  return {
    kind: "pacing",
    chunks: 100,
    firstAt: 0,
    lastAt: 60_000,
    pendingBytes: 10,
    hasParagraph: false,
    endsLine: false,
    ...fields,
  };
}

describe("golden vectors", () => {
  test("every case is a pacing case or belongs to the renderer or the writer", () => {
    const counts = new Map<string, number>();
    for (const { fn } of cases) counts.set(fn, (counts.get(fn) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...elsewhere, "flushDelay", "flushNow"].sort());
    expect(counts.get("flushDelay")).toBe(8);
    expect(counts.get("flushNow")).toBe(9);
  });

  test.each(cases.filter((one) => one.fn === "flushDelay"))("$id", ({ input, expect: delay }) => {
    const at = nextFlush(pacing(), input.now_ms, input.period_ms);
    expect(at).toBe(Math.round(input.now_ms) + delay);
  });

  test.each(cases.filter((one) => one.fn === "flushNow"))("$id", ({ input, expect: immediate }) => {
    const now = 1_764_500_001_001;
    const state = pacing({
      chunks: input.chunk,
      firstAt: now - input.since_first_ms,
      lastAt: now,
      pendingBytes: input.pending_bytes,
      hasParagraph: input.has_paragraph,
    });
    expect(nextFlush(state, now) === now).toBe(immediate);
  });
});

describe("reducePacer", () => {
  const chunk = (text: string, at: number) => ({ kind: "chunk", text, at }) as const;

  test("nothing is due before the first chunk, and after a flush", () => {
    expect(nextFlush(idlePacer, 5)).toBeUndefined();
    const state = reducePacer(idlePacer, chunk("a", 5));
    expect(nextFlush(state, 5)).toBe(5);
    expect(nextFlush(reducePacer(state, { kind: "flushed" }), 6)).toBeUndefined();
    expect(reducePacer(idlePacer, { kind: "flushed" })).toBe(idlePacer);
  });

  test("an empty chunk counts as none", () => {
    expect(reducePacer(idlePacer, chunk("", 5))).toBe(idlePacer);
  });

  test("a late look at an eager chunk still finds it due at once", () => {
    const state = reducePacer(reducePacer(idlePacer, chunk("a", 0)), chunk("b", 100));
    expect(nextFlush(state, 50_001)).toBe(50_001);
  });

  test("a blank line that two chunks make together ends a paragraph", () => {
    let state = pacing({ pendingBytes: 0 });
    state = reducePacer(state, chunk(`${"x".repeat(250)}\n`, 70_000));
    expect(nextFlush(state, 70_000)).toBe(72_000);
    state = reducePacer(state, chunk("\nnext", 70_001));
    expect(nextFlush(state, 70_001)).toBe(70_001);
  });

  test("a line break that was flushed makes no paragraph with the next chunk", () => {
    let state = reducePacer(pacing({ pendingBytes: 0 }), chunk("line\n", 70_000));
    state = reducePacer(state, { kind: "flushed" });
    state = reducePacer(state, chunk(`\n${"x".repeat(250)}`, 70_001));
    expect(nextFlush(state, 70_001)).toBe(72_000);
  });

  test("pending text is counted in UTF-8 bytes", () => {
    const text = `${"ä".repeat(100)}\n\n`;
    const state = reducePacer(pacing({ pendingBytes: 0 }), chunk(text, 70_001));
    expect(state).toMatchObject({ pendingBytes: 202 });
    expect(nextFlush(state, 70_001)).toBe(70_001);
  });

  test("a period of 0 sends every chunk at once", () => {
    expect(nextFlush(pacing(), 70_001, 0)).toBe(70_001);
  });
});

test("a flush is never in the past and never further away than one period", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string(), fc.nat(2_000)), { maxLength: 60 }),
      fc.nat(2_000_000_000),
      fc.integer({ min: 1, max: 60_000 }),
      (chunks, start, periodMs) => {
        let state: PacerState = idlePacer;
        let now = start;
        for (const [text, gap] of chunks) {
          now += gap;
          state = reducePacer(state, { kind: "chunk", text, at: now });
          const at = nextFlush(state, now, periodMs);
          expect(at === undefined).toBe(state.kind === "idle" || state.pendingBytes === 0);
          if (at === undefined) continue;
          expect(at).toBeGreaterThanOrEqual(now);
          expect(at - now).toBeLessThanOrEqual(periodMs);
          expect(at === now || at % periodMs === 0).toBe(true);
        }
      },
    ),
  );
});
