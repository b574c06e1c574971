import { expect, test } from "vitest";
import { waitFor } from "../src/index.ts";

test("what the promise brings is what comes back", async () => {
  expect(await waitFor("it", Promise.resolve(7))).toBe(7);
});

test("a probe is asked until it finds something other than undefined and false", async () => {
  const answers = [undefined, false, Promise.resolve(undefined), 0];
  expect(await waitFor("a number", () => answers.shift())).toBe(0);
  expect(answers).toEqual([]);
});

test.for([
  ["a promise", new Promise(() => {})],
  ["a probe", (): undefined => {}],
  ["a probe that hangs", () => new Promise<undefined>(() => {})],
] as const)("%s that never comes fails with the name of the event", async ([, event]) => {
  await expect(waitFor("the end of the world", event, 20)).rejects.toThrow(
    "Waited 20 ms for the end of the world.",
  );
});

test("a failure of the event is passed on at once", async () => {
  const failed = new Error("no");
  await expect(waitFor("it", Promise.reject(failed))).rejects.toBe(failed);
  await expect(
    waitFor("it", () => {
      throw failed;
    }),
  ).rejects.toBe(failed);
});
