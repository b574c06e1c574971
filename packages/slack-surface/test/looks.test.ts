import { ManualClock, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { Looks } from "../src/catch-up/looks.ts";

const MINUTE_MS = 60_000;

function start() {
  const clock = new ManualClock(0);
  const begun: number[] = [];
  let isOwed = true;
  let holding: Promise<void> | undefined;
  const looks = new Looks({
    clock,
    isOwed: () => isOwed,
    look: async () => {
      begun.push(clock.now() / MINUTE_MS);
      await holding;
    },
  });
  /** Minute by minute, each with all that it leads to. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE_MS);
      await new Promise(setImmediate);
    }
  };
  return {
    ...{ clock, begun, looks, pass },
    owe: (value: boolean) => {
      isOwed = value;
    },
    hold: (until: Promise<void> | undefined) => {
      holding = until;
    },
  };
}

test("while something is owed it is looked again, ever more seldom, and not at all when nothing is", async () => {
  const { begun, looks, pass, owe } = start();
  await looks.now();
  await pass(300);
  expect(begun).toEqual([0, 7, 21, 49, 109, 169, 229, 289]);
  owe(false);
  await pass(120);
  expect(begun).toEqual([0, 7, 21, 49, 109, 169, 229, 289, 349]);
  using _ = looks;
});

test("what is missed later is looked for soon, and no look waits because of what is missed all the time", async () => {
  const { begun, looks, pass } = start();
  await looks.now();
  await pass(60);
  expect(begun).toEqual([0, 7, 21, 49]);
  looks.soon();
  await pass(6);
  looks.soon();
  await pass(1);
  expect(begun.at(-1)).toBe(67);
  for (let minute = 0; minute < 21; minute += 1) {
    looks.soon();
    await pass(1);
  }
  expect(begun.slice(-3)).toEqual([74, 81, 88]);
});

test("one look goes on at a time, and however often another is asked for, one more follows", async () => {
  const { begun, looks, hold, owe } = start();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  owe(false);
  void looks.now();
  for (let time = 0; time < 5; time += 1) void looks.now();
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
  resolve();
  await waitFor("the second look", () => begun.length === 2);
  await new Promise(setImmediate);
  expect(begun).toHaveLength(2);
});

test("nothing is looked for after the end", async () => {
  const { begun, looks, pass } = start();
  await looks.now();
  looks[Symbol.dispose]();
  looks.soon();
  await pass(120);
  await looks.now();
  expect(begun).toEqual([0]);
});
