import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocks } from "../src/locks.ts";

test("a lock is held once, also within a process, and by the next one as soon as it is free", async () => {
  const take = createLocks(join(mkdtempSync(join(tmpdir(), "locks-")), "slack"));
  const held = await take("shop");
  expect(held).toBeDefined();
  expect(await take("shop")).toBeUndefined();
  const other = await take("other");
  expect(other).toBeDefined();
  held?.release();
  const next = await take("shop");
  expect(next).toBeDefined();
  // Whoever lets go twice must not let go of what is somebody else's by now.
  held?.release();
  expect(await take("shop")).toBeUndefined();
  next?.release();
  other?.release();
});
