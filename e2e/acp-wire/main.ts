/**
 * Drives real agents from npm with this workspace's client, offline but for their installation:
 * `node --conditions=@acp-kit/source e2e/acp-wire/main.ts [--verbose] [--installed DIR] [NAME …]`
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { drive } from "./real-agent.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    verbose: { type: "boolean", default: false },
    /** Has a directory per agent in which npm has installed it. */
    installed: { type: "string" },
  },
});

for (const agent of [gemini, claude, codex]) {
  if (positionals.length > 0 && !positionals.includes(agent.name)) continue;
  console.log(`${agent.package}`);
  await drive(agent, {
    hostEnv: process.env,
    say: (line) => console.log(`  ${line}`),
    installed: values.installed && `${values.installed}/${agent.name}`,
    verbose: values.verbose,
  });
}
