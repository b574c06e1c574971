import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { choose, converse, Listener, startAgent } from "./start-agent.ts";

const folder = join(import.meta.dirname, "../examples");

test("examples/run-script.ts prints what its comment says, and what the script sends", () => {
  const node = ["--conditions=@acp-kit/source", join(folder, "run-script.ts")];
  const printed = execFileSync(process.execPath, node, { encoding: "utf8" });
  expect(printed.trimEnd().split("\n")).toEqual([
    "session_info_update",
    "agent_thought_chunk",
    "agent_message_chunk",
    "end_turn",
  ]);
}, 30_000);

test("examples/script.json is an agent that asks first", async () => {
  const agent = await startAgent(["--script", join(folder, "script.json")]);
  const { listener } = await converse(agent, "clean up", new Listener(choose("no")));
  expect(agent.info?.name).toBe("careful");
  expect(listener.text).toBe("It stays.");
});
