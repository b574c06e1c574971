import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admitAt,
  admitsStream,
  type BudgetState,
  emptyBudget,
  PRIORITIES,
  type Priority,
  recordCall,
  recordLimit,
} from "../../src/budget/budget.ts";

const priorities = Object.keys(PRIORITIES) as Priority[];

function spend(method: string, priority: Priority, count: number, now: number, from = emptyBudget) {
  let state: BudgetState = from;
  const ask = { method, channel: "C1", priority };
  for (let each = 0; each < count; each += 1) state = recordCall(state, ask, now);
  return state;
}

describe("a method's calls of a minute", () => {
  const admitted = (method: string, priority: Priority) => {
    let state = emptyBudget;
    for (let count = 0; ; count += 1) {
      const ask = { method, channel: `C${count}`, priority };
      if (admitAt(state, ask, 0) > 0) return count;
      state = recordCall(state, ask, 0);
    }
  };

  test("are used up the sooner the less they matter", () => {
    expect(priorities.map((priority) => admitted("chat.update", priority))).toEqual([
      48, 45, 36, 28, 19,
    ]);
  });

  test.each([
    ["chat.startStream", 15],
    ["chat.stopStream", 18],
    ["chat.appendStream", 95],
    ["chat.update", 48],
    ["chat.postMessage", 240],
    ["some.other", 18],
  ])("are of %s at most %i", (method, count) => {
    expect(admitted(method, "final")).toBe(count);
  });

  test("come back one by one, 65 s after they were made", () => {
    const state = spend("chat.update", "final", 48, 1_000);
    const ask = { method: "chat.update", channel: "C1", priority: "final" } as const;
    expect(admitAt(state, ask, 2_000)).toBe(66_000);
    expect(admitAt(state, ask, 66_000)).toBe(66_000);
  });
});

describe("posts in a channel", () => {
  const post = { method: "chat.postMessage", channel: "C1", priority: "final" } as const;

  test("are three at once and then one in 1.1 s; one less for text", () => {
    const three = spend("chat.postMessage", "final", 3, 0);
    expect(admitAt(three, post, 0)).toBe(1_100);
    const two = spend("chat.postMessage", "text", 2, 0);
    expect(admitAt(two, { ...post, priority: "text" }, 0)).toBe(1_100);
    expect(admitAt(two, post, 0)).toBe(0);
  });

  test("do not hold up another channel", () => {
    const state = spend("chat.postMessage", "final", 3, 0);
    expect(admitAt(state, { ...post, channel: "C2" }, 0)).toBe(0);
  });
});

describe("a limit", () => {
  test("holds up its method, and nothing else", () => {
    const update = { method: "chat.update", channel: "C1", priority: "final" } as const;
    const state = recordLimit(emptyBudget, update, 30_000, 0);
    expect(admitAt(state, { ...update, channel: "C2" }, 0)).toBe(30_000);
    expect(admitAt(state, { ...update, method: "chat.postMessage" }, 0)).toBe(0);
  });

  test("of a post holds up its channel alone", () => {
    const post = { method: "chat.postMessage", channel: "C1", priority: "final" } as const;
    const state = recordLimit(emptyBudget, post, 30_000, 0);
    expect(admitAt(state, post, 0)).toBe(30_000);
    expect(admitAt(state, { ...post, channel: "C2" }, 0)).toBe(0);
  });
});

test("a stream starts 15 times a minute, and only if it can be ended as well", () => {
  expect(admitsStream(spend("chat.startStream", "text", 14, 0), 14, 0)).toBe(true);
  expect(admitsStream(spend("chat.startStream", "text", 15, 0), 0, 0)).toBe(false);
  expect(admitsStream(spend("chat.stopStream", "final", 10, 0), 7, 0)).toBe(true);
  expect(admitsStream(spend("chat.stopStream", "final", 10, 0), 8, 0)).toBe(false);
});

test("whatever was called, no minute holds more calls than the platform takes", () => {
  const tiers = { "chat.startStream": 20, "chat.update": 50, "chat.appendStream": 100 };
  const methods = Object.keys(tiers) as (keyof typeof tiers)[];
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          method: fc.constantFrom(...methods),
          priority: fc.constantFrom(...priorities),
          afterMs: fc.nat(3_000),
          delayMs: fc.nat(4_000),
        }),
        { minLength: 200, maxLength: 400 },
      ),
      (asks) => {
        let [state, now] = [emptyBudget, 0];
        const arrivals: { method: keyof typeof tiers; at: number }[] = [];
        for (const { method, priority, afterMs, delayMs } of asks) {
          now += afterMs;
          const ask = { method, channel: "C1", priority };
          if (admitAt(state, ask, now) > now) continue;
          state = recordCall(state, ask, now);
          arrivals.push({ method, at: now + delayMs });
        }
        for (const { method, at } of arrivals) {
          const inMinute = arrivals.filter(
            (other) => other.method === method && other.at > at - 60_000 && other.at <= at,
          );
          expect(inMinute.length).toBeLessThanOrEqual(tiers[method]);
        }
      },
    ),
    { numRuns: 50 },
  );
});
