#!/usr/bin/env node
import { runSlackTerminal } from "./run-slack-terminal.ts";

process.exitCode = await runSlackTerminal({
  argv: process.argv.slice(2),
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  onEnd: (listener) => {
    process.once("SIGINT", listener);
    process.once("SIGTERM", listener);
    process.once("SIGHUP", listener);
  },
});
// A standard input that nobody closes must not keep the process.
process.stdin.destroy();
