import cluster from "node:cluster";
import type { RelayApp } from "../app.ts";
import type { Env } from "../config/secret.ts";
import { describeForOperator, RelayError } from "../errors.ts";
import { formatForTerminal } from "../terminal-text.ts";
import { isGeneration } from "./generation-process.ts";
import { parseArgv } from "./parse-argv.ts";
import type { Streams } from "./streams.ts";

/**
 * Runs an app's command line and resolves with the exit code once it is done; `start` is done when a signal ends it.
 *
 * `start` owns the process: it sets the file mode mask to 077, sends Node.js's warnings to the log, acts on SIGINT,
 * SIGTERM and SIGHUP, and starts the program that runs now (`process.argv[1]`) again as worker processes, with the same
 * arguments: there this function serves.
 *
 * @param argv - Without program and script.
 */
export async function runRelay(
  app: RelayApp,
  argv: readonly string[],
  env: Env,
  streams: Streams,
): Promise<number> {
  // A reader that went away, as with `| head`, is no reason to stop serving.
  for (const stream of [streams.stdout, streams.stderr]) stream.on("error", () => {});
  const fail = (...why: readonly string[]) => {
    for (const line of why) {
      streams.stderr.write(`${app.name}: ${formatForTerminal(line).replaceAll("\n", " ")}\n`);
    }
    return 1;
  };
  const invocation = parseArgv(app, argv);
  if (invocation.kind === "print") {
    if (invocation.code !== 0) return fail(invocation.text);
    streams.stdout.write(invocation.text);
    return 0;
  }
  process.umask(0o077);
  if (cluster.isWorker && invocation.kind === "start") {
    if (isGeneration(env)) {
      const { runGeneration } = await import("./generation.ts");
      return runGeneration(app, invocation, env, streams);
    }
    const message =
      "this process is a worker of somebody else's cluster; start the relay as a process of its own (pm2: exec_mode fork)";
    // The cluster would keep it.
    process.exit(fail(message));
  }
  try {
    if (invocation.kind === "check") {
      const { check } = await import("./commands/check.ts");
      return await check(app, invocation, env, streams);
    }
    if (invocation.kind === "app") {
      const { runAppCommand } = await import("./commands/run-app-command.ts");
      await runAppCommand(app, invocation, streams);
      return 0;
    }
    if (invocation.kind !== "start") {
      const { runStateCommand } = await import("./commands/run-state-command.ts");
      await runStateCommand(app, invocation, env, streams);
      return 0;
    }
    const { start } = await import("./start.ts");
    const { code, why = [] } = await start(app, invocation, env, streams);
    fail(...why);
    return code;
  } catch (error) {
    if (error instanceof RelayError) return fail(...describeForOperator(error));
    throw error;
  }
}
