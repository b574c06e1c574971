import { createHash } from "node:crypto";
import { type Level, type Logger, pino } from "pino";
import type { Redactor } from "./redactor.ts";
import { escapeInJson } from "./terminal-text.ts";

export type Log = Logger;
export type LogLevel = Exclude<Level, "trace" | "fatal"> | "silent";

export type LogOptions = {
  readonly level: LogLevel;
  /** Receives whole lines of JSON. */
  readonly write: (line: string) => void;
  /** Takes secrets out of each line, wherever in it they are. */
  readonly redactor: Redactor;
  /** Fields of every line, the instance for example. */
  readonly fields?: Readonly<Record<string, string | number>>;
};

/** Logs as JSON, one line each, safe to print: no registered secret, no control character, whatever was logged. */
export function createLog({ level, write, redactor, fields = {} }: LogOptions): Log {
  const destination = {
    write: (line: string) => write(`${escapeInJson(redactor.redact(line.trimEnd()))}\n`),
  };
  return pino(
    { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: label } },
    destination,
  );
}

const label = (level: string) => ({ level });

/** A short name for an id that should not stand in a log: equal ids have equal names. 12 hex digits. */
export function hashId(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}

/** What a log may say about a URL that grants access to whoever knows it: its host, and a digest to compare. */
export function formatUrlForLog(url: string): string {
  return `${URL.parse(url)?.host ?? "(no URL)"}#${hashId(url)}`;
}
