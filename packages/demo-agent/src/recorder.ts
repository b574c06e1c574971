import { fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** One line of a record: what reached the agent, in the order in which it did. */
export type RecordEntry = { readonly at: number; readonly pid: number } & RecordedFact;

export type RecordedFact =
  /** A process began to write this record. */
  | { readonly kind: "start" }
  /** A request or notification of the client, before the agent does anything about it. */
  | { readonly kind: "received"; readonly method: string; readonly params?: unknown }
  /** The client's answer to a question. */
  | {
      readonly kind: "answered";
      readonly session: string;
      readonly toolCallId: string;
      readonly outcome: unknown;
    }
  | { readonly kind: "eof" }
  /** Only when the script ignores it. */
  | { readonly kind: "sigterm" };

export interface Recorder {
  /** Which process of this record it is, from 1. */
  readonly start: number;
  /** Returns when the line is on the disk. */
  note(fact: RecordedFact): void;
}

/** Writes nothing. */
export const noRecorder: Recorder = { start: 1, note: () => {} };

/** Appends to `file`, one JSON object a line; each line is synced before the agent goes on. */
export function createRecorder(file: string): Recorder {
  const descriptor = openSync(file, "a", 0o600);
  const note = (fact: RecordedFact) => {
    const entry: RecordEntry = { at: Date.now(), pid: process.pid, ...fact };
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    fsyncSync(descriptor);
  };
  note({ kind: "start" });
  return { start: countStarts(readFileSync(file, "utf8")), note };
}

function countStarts(record: string): number {
  const entries = record.split("\n").filter((line) => line !== "");
  return entries.filter((line) => (JSON.parse(line) as RecordEntry).kind === "start").length;
}
