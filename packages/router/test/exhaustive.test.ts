import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test.each(["turn-state.ts", "turn-view.ts", "turn-queue.ts"])(
  "%s has no default branch, so that the compiler names what a new event is missing in",
  (file) => {
    const source = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8");
    expect(source).toMatch(/^ +switch \(event\.kind\) \{$/m);
    expect(source).not.toMatch(/\bdefault\s*:/);
  },
);
