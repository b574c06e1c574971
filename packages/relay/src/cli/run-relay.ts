import { randomInt } from "node:crypto";
import { realpath } from "node:fs/promises";
import { constants } from "node:os";
import type { RelayApp } from "../app.ts";
import { readConfig } from "../config/read-config.ts";
import { ACCESS_KEY_LENGTH } from "../config/schema.ts";
import type { Env } from "../config/secret.ts";
import { RelayError } from "../errors.ts";
import { createLog } from "../log.ts";
import { Redactor } from "../redactor.ts";
import { createSettings, type Settings } from "../settings.ts";
import { startRelay } from "../start-relay.ts";
import { formatForTerminal } from "../terminal-text.ts";
import { readEnvKey } from "./env-key.ts";
import { type Invocation, parseArgv } from "./parse-argv.ts";
import { formatStartText } from "./start-text.ts";

/** Where a command writes: results for people, and logs and errors. */
export type Streams = {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
};

/**
 * Runs an app's command line and resolves with the exit code once it is done; `start` is done when a signal ends it.
 *
 * `start` owns the process: it sets the file mode mask to 077, sends Node.js's warnings to the log, and stops on SIGINT,
 * SIGTERM or SIGHUP, at once when a second one comes.
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
  const fail = (message: string) => {
    streams.stderr.write(`${app.name}: ${formatForTerminal(message).replaceAll("\n", " ")}\n`);
    return 1;
  };
  const invocation = parseArgv(app, argv);
  if (invocation.kind === "print") {
    if (invocation.code !== 0) return fail(invocation.text);
    streams.stdout.write(invocation.text);
    return 0;
  }
  try {
    return await start(app, await readSettings(app, invocation, env), env, streams);
  } catch (error) {
    if (error instanceof RelayError) return fail(error.message);
    throw error;
  }
}

async function start(
  app: RelayApp,
  settings: Settings,
  env: Env,
  streams: Streams,
): Promise<number> {
  process.umask(0o077);
  const redactor = new Redactor();
  for (const secret of settings.secrets) redactor.add(secret);
  const log = createLog({
    level: settings.logLevel,
    write: (line) => streams.stderr.write(line),
    redactor,
    fields: { app: app.name, instance: settings.instance },
  });
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => log.debug({ warning: name }, message));
  const signal = nextSignal();
  const relay = await startRelay({ app, settings, env, log });
  streams.stdout.write(formatForTerminal(formatStartText(app, settings, relay)));
  log.info({ signal: await signal }, "stopping");
  await relay.stop();
  return 0;
}

async function readSettings(
  app: RelayApp,
  { config: file, flags }: Extract<Invocation, { kind: "start" }>,
  env: Env,
): Promise<Settings> {
  const loaded =
    file === undefined
      ? undefined
      : { ...(await readConfig(file, env)), file: await realpath(file) };
  const envKey = await readEnvKey(app.keyEnv, env);
  return createSettings({ app, flags, loaded, envKey, createKey });
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function createKey(): string {
  return Array.from({ length: ACCESS_KEY_LENGTH }, () =>
    ALPHABET.charAt(randomInt(ALPHABET.length)),
  ).join("");
}

/** The first signal that asks the process to end. The second one ends it. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      // A process that a signal ended exits with 128 and the signal's number.
      if (isStopping) process.exit(128 + constants.signals[signal]);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}
