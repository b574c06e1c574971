import cluster from "node:cluster";
import { realpath } from "node:fs/promises";
import type { RelayApp } from "../app.ts";
import type { Env } from "../config/secret.ts";
import { SEAL_MS } from "../ending.ts";
import { ConfigError, describeForOperator, RelayError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { SocketHandle } from "../socket-handle.ts";
import { startRelay } from "../start-relay.ts";
import { stateDirOf } from "../state-dir.ts";
import { formatForTerminal } from "../terminal-text.ts";
import type { Beginning, EndTimes, Order, Report } from "./orders.ts";
import { createProcessLog } from "./process-log.ts";
import { readSettings, type StartRequest } from "./read-settings.ts";
import { formatStartText } from "./start-text.ts";
import type { Streams } from "./streams.ts";
import { useProxy } from "./use-proxy.ts";

/** The longest that everything may take to close once no response is left, agents included, in milliseconds. */
const CLOSE_MS = 20_000;

/** One generation of a relay: serves as the primary orders, and resolves with the exit code. */
export async function runGeneration(
  app: RelayApp,
  request: StartRequest,
  env: Env,
  streams: Streams,
): Promise<number> {
  // A terminal and some service managers signal every process: what follows is for the primary to say.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  const begun = Promise.withResolvers<Beginning & { handle: SocketHandle | undefined }>();
  const told = { retire: Promise.withResolvers<void>(), stop: Promise.withResolvers<void>() };
  process.on("message", (order: Order, handle?: SocketHandle) => {
    if (order.kind === "begin") begun.resolve({ ...order, handle });
    if (order.kind === "retire" || order.kind === "stop") told[order.kind].resolve();
  });
  try {
    const { stateDir, demoKey, generation, openedFor, handle } = await begun.promise;
    const settings = await readSettings(app, request, env, demoKey);
    await useProxy(settings.proxy);
    await checkStateDir(app, settings, env, stateDir);
    const log = createProcessLog(app, settings, streams, { generation });
    const wanted = `${settings.listen.host} ${settings.listen.port}`;
    const held = openedFor === undefined || openedFor === wanted ? handle : undefined;
    if (!held) handle?.close();
    const relay = await startRelay({ app, settings, env, log, stateDir, held });
    if (generation === 1) {
      const pairing = relay.people.createPairingCode();
      const text = formatStartText(app, settings, { ...relay, pairing });
      streams.stdout.write(formatForTerminal(text));
    }
    const { handOverMs, drainMs } = settings.lifecycle;
    const endMs = SEAL_MS + CLOSE_MS;
    const endTimes = { retire: handOverMs + endMs, stop: drainMs + endMs };
    if (held) report({ kind: "serves", endTimes });
    else report({ kind: "serves", endTimes, openedFor: wanted }, relay.publicHandle);
    const end = async (kind: keyof EndTimes) => {
      await told[kind].promise;
      const ended = relay[kind]();
      log.info(kind === "retire" ? "handing over" : "stopping");
      await ended;
    };
    await Promise.race([end("retire"), end("stop")]);
    log.info("a generation has ended");
    return 0;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    report({ kind: "failed", why: describeForOperator(error) });
    return 1;
  } finally {
    cluster.worker?.disconnect();
  }
}

function report(report: Report, handle?: SocketHandle): void {
  process.send?.(report, handle);
}

/** The primary has locked one directory: only a new start can choose another. */
async function checkStateDir(
  app: RelayApp,
  settings: Settings,
  env: Env,
  stateDir: string,
): Promise<void> {
  if (settings.mode === "demo") return;
  const wanted = stateDirOf(app.name, settings, env);
  const real = await realpath(wanted).catch(() => wanted);
  if (real === stateDir) return;
  throw new ConfigError([
    `the state directory is ${stateDir} until the relay is started anew, and the configuration names ${wanted}; stop the relay first`,
  ]);
}
