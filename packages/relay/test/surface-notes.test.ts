import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRelayDb } from "../src/relay-db.ts";
import { RELAY_TABLES } from "../src/relay-tables.ts";
import { createSurfaceNotes } from "../src/surface-notes.ts";

test("what a surface has noted is there for the next process, and the newest of it counts", async () => {
  const directory = mkdtempSync(join(tmpdir(), "notes-"));
  const open = async <T>(work: (notes: ReturnType<typeof createSurfaceNotes>) => T) => {
    await using db = await openRelayDb(directory, RELAY_TABLES);
    return work(createSurfaceNotes(db));
  };
  expect(await open((notes) => notes.read("a"))).toBeUndefined();
  await open((notes) => {
    notes.write("a", "1");
    notes.write("a", "2");
  });
  expect(await open((notes) => [notes.read("a"), notes.read("b")])).toEqual(["2", undefined]);
  rmSync(directory, { recursive: true, force: true });
});
