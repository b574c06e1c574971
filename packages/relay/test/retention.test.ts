import type { RetentionReport, RetentionRules } from "@acp-kit/router/sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { runRetention } from "../src/retention.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const rules = { eventDays: 30, maxEvents: 5_000, viewDays: 180 };
const nothing: RetentionReport = { events: 0, turns: 0, views: 0 };

let lines: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_764_500_000_000 });
  lines = [];
});

afterEach(() => {
  vi.useRealTimers();
});

/** Retention of a store that answers so, and what that store was asked. */
function retaining(answer: (signal: AbortSignal) => Promise<RetentionReport>) {
  const asked: { rules: RetentionRules; now: number }[] = [];
  const store = {
    retain: (given: RetentionRules, now: number, signal: AbortSignal) => {
      asked.push({ rules: given, now });
      return answer(signal);
    },
  };
  const write = (line: string) => void lines.push(line);
  const log = createLog({ level: "info", write, redactor: new Redactor() });
  return { asked, retention: runRetention(store, rules, log) };
}

test("the first removal is a minute after the start, the next an hour after that one has ended", async () => {
  const { asked, retention } = retaining(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10 * MINUTE_MS));
    return nothing;
  });
  const start = Date.now();
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(5.5 * 60 * MINUTE_MS);
  expect(asked.map(({ now }) => (now - start) / MINUTE_MS)).toEqual([1, 71, 141, 211, 281]);
  expect(asked[0]?.rules).toEqual({
    olderThanMs: 30 * DAY_MS,
    maxEvents: 5_000,
    viewsOlderThanMs: 180 * DAY_MS,
  });
  await retention[Symbol.asyncDispose]();
});

test("what was removed is logged, and so is a failure, after which it goes on", async () => {
  let times = 0;
  const { asked, retention } = retaining(async () => {
    times += 1;
    if (times === 1) throw new Error("disk full");
    return times === 2 ? { events: 7, turns: 2, views: 0 } : nothing;
  });
  await vi.advanceTimersByTimeAsync(3.5 * 60 * MINUTE_MS);
  expect(asked).toHaveLength(4);
  expect(lines).toEqual([
    expect.stringMatching(/disk full.*could not be removed/),
    expect.stringMatching(/"events":7,"turns":2,"views":0,.*was removed/),
  ]);
  await retention[Symbol.asyncDispose]();
});

test("disposing ends a removal that runs, waits for it, and none follows", async () => {
  const { asked, retention } = retaining(
    (signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => setTimeout(resolve, 100, nothing)),
      ),
  );
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  let isDisposed = false;
  const disposed = retention[Symbol.asyncDispose]().then(() => {
    isDisposed = true;
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(isDisposed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await disposed;
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(asked).toHaveLength(1);
});
