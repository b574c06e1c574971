import { expect, test, vi } from "vitest";
import type { WorkspaceHolder } from "../src/index.ts";
import { Workspaces } from "../src/workspaces.ts";

const holder = (user: string, since: number): WorkspaceHolder => ({ user, since });
const never = new AbortController().signal;

/** A turn that wants in: when it is in, and of whom it is told meanwhile. */
function enter(workspaces: Workspaces, user: string, since: number, signal = never) {
  const told: (string | undefined)[] = [];
  const leave = workspaces.lock("/repo", signal, holder(user, since), (other) => {
    told.push(other?.user);
  });
  return { leave, told };
}

test("a turn that waits is told who works there, and who does next, as long as it waits", async () => {
  const workspaces = new Workspaces({ stateDir: "/nowhere" });
  const one = enter(workspaces, "ana", 1);
  const leaveOne = await one.leave;
  const two = enter(workspaces, "bob", 2);
  const three = enter(workspaces, "cyd", 3);
  expect([one.told, two.told, three.told]).toEqual([[], ["ana"], ["ana"]]);
  leaveOne();
  const leaveTwo = await two.leave;
  expect([two.told, three.told]).toEqual([["ana"], ["ana", "bob"]]);
  leaveTwo();
  (await three.leave)();
  expect(three.told).toEqual(["ana", "bob"]);
  const four = enter(workspaces, "dan", 4);
  (await four.leave)();
  expect(four.told).toEqual([]);
});

test("who gives up waiting is told nothing more, and keeps nobody out", async () => {
  const workspaces = new Workspaces({ stateDir: "/nowhere" });
  const leave = await enter(workspaces, "ana", 1).leave;
  const gaveUp = new AbortController();
  const two = enter(workspaces, "bob", 2, gaveUp.signal);
  const three = enter(workspaces, "cyd", 3);
  gaveUp.abort();
  await expect(two.leave).rejects.toMatchObject({ name: "AbortError" });
  leave();
  (await three.leave)();
  expect(two.told).toEqual(["ana"]);
});

test("a turn that waits for another process is told what that process says of itself, and its own wait is told to others", async () => {
  const free = Promise.withResolvers<void>();
  const workspaces = new Workspaces({
    stateDir: "/nowhere",
    async lockWorkspace(_exclusive, _signal, _holder, onBusy) {
      onBusy(holder("elsewhere", 0));
      await free.promise;
      return () => {};
    },
  });
  const one = enter(workspaces, "ana", 1);
  await vi.waitFor(() => expect(one.told).toEqual(["elsewhere"]));
  const two = enter(workspaces, "bob", 2);
  expect(two.told).toEqual(["ana"]);
  free.resolve();
  (await one.leave)();
  (await two.leave)();
});
