#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir, userInfo } from "node:os";
import { fileURLToPath } from "node:url";

// Stripping the types of all sources takes longer than everything else at the start. The cache is the workspace's: a
// relay may have a temporary directory of its own, in which every agent would begin with an empty one.
if (import.meta.url.endsWith(".ts")) {
  const cache = new URL("../../../node_modules/.cache/node-compile-cache", import.meta.url);
  enableCompileCache(fileURLToPath(cache));
}
const { runAgent } = await import("./run-agent.ts");

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.on("SIGINT", () => stop.abort());
try {
  await runAgent({
    argv: process.argv.slice(2),
    env: process.env,
    uid: userInfo().uid,
    home: homedir(),
    print: (text) => void process.stdout.write(text),
    complain: (line) => void process.stderr.write(`dcode-acp: ${line}\n`),
    signal: stop.signal,
  });
} catch (error) {
  process.stderr.write(`dcode-acp: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
