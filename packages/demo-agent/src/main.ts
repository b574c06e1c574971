#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Stripping the types of all sources takes longer than everything else at the start. The cache is the workspace's: a
// relay may have a temporary directory of its own, in which every agent would begin with an empty one.
if (import.meta.url.endsWith(".ts")) {
  const cache = new URL("../../../node_modules/.cache/node-compile-cache", import.meta.url);
  enableCompileCache(fileURLToPath(cache));
}
const { runAgent } = await import("./run-agent.ts");

try {
  await runAgent({
    argv: process.argv.slice(2),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onSigterm: (listener) => void process.on("SIGTERM", listener),
  });
  // What a script left behind, such as a timer, must not keep the process. First the last words.
  process.stdout.write("", () => process.exit());
} catch (error) {
  process.stderr.write(`acp-demo-agent: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
