import cluster from "node:cluster";
import type { RelayApp } from "../app.ts";
import type { Env } from "../config/secret.ts";
import { ConfigError } from "../errors.ts";
import { createTemporaryStateDir, openStateDir, stateDirOf } from "../state-dir.ts";
import { readInheritedSocket } from "./inherited-socket.ts";
import type { PrimaryEnd } from "./orders.ts";
import { runPrimary } from "./primary.ts";
import { createProcessLog } from "./process-log.ts";
import { createKey, readSettings, type StartRequest } from "./read-settings.ts";
import type { Streams } from "./streams.ts";

/**
 * Serves until a signal ends it, in processes of its own.
 *
 * @throws RelayError
 */
export async function start(
  app: RelayApp,
  request: StartRequest,
  env: Env,
  streams: Streams,
): Promise<PrimaryEnd> {
  const demoKey = createKey();
  const settings = await readSettings(app, request, env, demoKey);
  const inherited = readInheritedSocket(env, process.pid);
  if (inherited && settings.mode === "demo") {
    const message =
      "the demo listens by itself; set POE_ACCESS_KEY or give a --config to serve on the service manager's socket";
    throw new ConfigError([message]);
  }
  const log = createProcessLog(app, settings, streams);
  await using stateDir =
    settings.mode === "demo" && settings.stateDir === undefined
      ? await createTemporaryStateDir(app.name, env)
      : await openStateDir(stateDirOf(app.name, settings, env));
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const held = inherited && { handle: inherited };
  return await runPrimary({ stateDir: stateDir.path, demoKey }, held, log);
}
