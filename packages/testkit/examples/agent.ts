import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProcess } from "@acp-kit/acp-wire";
import { agentCommand, collectOrphans, promptsIn, readRecord, scripts } from "@acp-kit/testkit";

const directory = mkdtempSync(join(tmpdir(), "example-"));
const record = join(directory, "record");

// An agent that says "1.2." and then dies.
const agent = await AgentProcess.start({
  command: agentCommand(scripts.dieAfter(2, { code: 7 }), { directory, record }),
  hostEnv: process.env,
  clientInfo: { name: "example", version: "1" },
});
const { sessionId } = await agent.newSession("/", {
  update: () => {},
  ask: async () => ({ outcome: "cancelled" }),
});
await assert.rejects(agent.prompt(sessionId, [{ type: "text", text: "hello" }]), {
  code: "agent_exited",
});

console.log((await agent.exited).code); // 7
console.log(promptsIn(readRecord(record)).length); // 1
console.log((await collectOrphans(directory)).length); // 0
rmSync(directory, { recursive: true });
