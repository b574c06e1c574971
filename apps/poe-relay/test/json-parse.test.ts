import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { scripts } from "@acp-kit/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { RelayProcess } from "./relay-process.ts";

// Processes of several kinds start in each test.
vi.setConfig({ testTimeout: 60_000 });

const counter = fileURLToPath(new URL("count-json-parse.ts", import.meta.url));

test("between the agent and the chat, each line of the agent is parsed once", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "json-parse-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const logs = path.join(directory, "parsed");
  mkdirSync(logs);
  const said = path.join(directory, "said.jsonl");
  {
    await using relay = await RelayProcess.start({
      agent: scripts.flood(2_000, { perWrite: 7 }),
      around: `"$@" | tee ${said}`,
      nodeFlags: ["--import", counter],
      env: { JSON_PARSE_LOGS: logs },
    });
    const query = relay.poe.query({ text: "hello" });
    expect((await query.done).how).toBe("done");
    expect(query.body()).toContain("1999 ");
  }
  const lines = readFileSync(said, "utf8").trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(2_000);
  const parsed = readdirSync(logs).flatMap((pid): string[] =>
    JSON.parse(readFileSync(path.join(logs, pid), "utf8")),
  );
  expect(parsed).toEqual(lines);
});
