/** The test app as a process of its own. */
import process from "node:process";
import { runRelay } from "../src/cli/run-relay.ts";
import { testApp } from "./test-app.ts";

process.exitCode = await runRelay(testApp, process.argv.slice(2), process.env, process);
