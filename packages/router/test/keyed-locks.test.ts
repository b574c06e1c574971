import { expect, test } from "vitest";
import { KeyedLocks } from "../src/keyed-locks.ts";

test("a name is held by one at a time, in order of arrival", async () => {
  const locks = new KeyedLocks();
  const order: number[] = [];
  const first = await locks.acquire("a");
  const others = [1, 2].map(async (number) => {
    const release = await locks.acquire("a");
    order.push(number);
    release();
  });
  await locks.acquire("b");
  expect(order).toEqual([]);
  first();
  first();
  await Promise.all(others);
  expect(order).toEqual([1, 2]);
});

test("whoever gives up waiting is passed over", async () => {
  const locks = new KeyedLocks();
  const release = await locks.acquire("a");
  const aborting = new AbortController();
  const given = locks.acquire("a", aborting.signal);
  const next = locks.acquire("a");
  aborting.abort(new Error("gone"));
  await expect(given).rejects.toThrow("gone");
  release();
  (await next)();
});
