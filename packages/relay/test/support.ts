import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory of this test's own, removed after it. Real path. */
export function temporaryDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "relay-test-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Beyond any wait of a relay that works, on a machine that has much else to do, in milliseconds. */
export const DEADLINE_MS = 90_000;

/** Fails when `promise` has not settled within `limitMs`. */
export async function within<T>(promise: Promise<T>, limitMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened in ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What `promise` is rejected with; fails when it is not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}

/** True when a terminal would act on something in `text`; line feed and tab aside. */
export function hasControls(text: string): boolean {
  return [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    return (isControl && !"\n\t".includes(character)) || "\u2028\u202e".includes(character);
  });
}
