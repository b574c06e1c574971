import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

test("examples/answer.ts prints what the agent answers", () => {
  const script = path.join(mkdtempSync(path.join(tmpdir(), "router-example-")), "script.json");
  writeFileSync(
    script,
    JSON.stringify({ prompt: [{ kind: "text", text: "You said {{prompt}}" }] }),
  );
  const fromSource = "--conditions=@acp-kit/source";
  const agent = [process.execPath, fromSource, at("../../demo-agent/src/main.ts")];
  const printed = execFileSync(
    process.execPath,
    [fromSource, at("../examples/answer.ts"), ...agent, "--script", script],
    { encoding: "utf8", timeout: 25_000 },
  );
  expect(printed).toBe("You said Hello!\n");
});
