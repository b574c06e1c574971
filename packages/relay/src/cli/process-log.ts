import type { RelayApp } from "../app.ts";
import { createLog, type Log } from "../log.ts";
import { Redactor } from "../redactor.ts";
import type { Settings } from "../settings.ts";
import type { Streams } from "./streams.ts";

/** The log of one of the relay's processes. Node.js's warnings go to it too. */
export function createProcessLog(
  app: RelayApp,
  settings: Settings,
  streams: Streams,
  fields: Readonly<Record<string, number>> = {},
): Log {
  const redactor = new Redactor();
  for (const secret of settings.secrets) redactor.add(secret);
  const log = createLog({
    level: settings.logLevel,
    write: (line) => streams.stderr.write(line),
    redactor,
    fields: { app: app.name, instance: settings.instance, ...fields },
  });
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => log.debug({ warning: name }, message));
  return log;
}
