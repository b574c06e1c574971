import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import type { Lease, NewEvent, Store } from "../../src/index.ts";

/** Makes directories that are removed after the tests of a file. */
export function temporaryDirectories(name: string): () => string {
  const root = mkdtempSync(path.join(tmpdir(), `${name}-`));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(path.join(root, "d-"));
}

/** All files below a directory. */
export function findFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Which of the words any file below a directory holds. Asks a process of its own: reading a database's files drops its locks. */
export function findWords(directory: string, words: readonly string[]): string[] {
  return words.filter(
    (word) => spawnSync("grep", ["-rqaF", word, directory], { stdio: "inherit" }).status === 0,
  );
}

export async function claim(store: Store, conversation = "c"): Promise<Lease> {
  const lease = await store.claim(conversation);
  if (!lease) throw new Error(`${conversation} has a live owner`);
  return lease;
}

export const text = (words: string, turn = "t", at = 1): NewEvent => ({
  kind: "text",
  text: words,
  at,
  turn,
});

/** A whole turn that ended at `at`. */
export function turnEvents(turn: string, at: number, words: readonly string[] = ["hello"]) {
  const events: NewEvent[] = [
    { kind: "turn-queued", who: "ana", text: "hi", key: `key of ${turn}`, attempt: 1, at, turn },
    { kind: "turn-start", who: "ana", at, turn },
    ...words.map((one) => text(one, turn, at)),
    { kind: "turn-end", outcome: { kind: "completed", stopReason: "end_turn" }, at, turn },
  ];
  return events;
}
