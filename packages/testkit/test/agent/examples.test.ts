import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("examples/agent.ts prints what its comments say", () => {
  const file = join(import.meta.dirname, "../../examples/agent.ts");
  const node = ["--conditions=@acp-kit/source", file];
  const printed = execFileSync(process.execPath, node, { encoding: "utf8" });
  const source = readFileSync(file, "utf8");
  const claimed = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
  expect(claimed).toHaveLength(3);
  expect(printed.trimEnd().split("\n")).toEqual(claimed);
}, 30_000);
