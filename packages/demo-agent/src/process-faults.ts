import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Fault } from "./script.ts";

/** How long an agent lives on at most that no longer reacts to its client, in milliseconds. */
export const LINGER_MS = 60_000;

/** What the faults act on. */
export interface FaultyProcess {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Resolves when all messages are in stdout: what is printed then stands behind them. */
  flush(): Promise<void>;
}

/** Commits a fault on this process. `session` is where a flood goes. */
export async function commitFault(
  fault: Fault,
  { stdin, stdout, stderr, flush }: FaultyProcess,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  await flush();
  switch (fault.kind) {
    case "print":
      (fault.to === "stderr" ? stderr : stdout).write(`${fault.text}\n`);
      return;
    case "flood":
      return flood(fault, stdout, session, signal);
    case "exit":
      await new Promise((resolve) => stdout.write("", resolve));
      if (fault.signal === undefined) process.exit(fault.code ?? 1);
      process.kill(process.pid, fault.signal);
      return stay();
    case "close-stdout":
      await new Promise((resolve) => stdout.write("", resolve));
      closeSync(1);
      // Takes the number that became free, so that no other file gets what the agent still says.
      openSync("/dev/null", "w");
      return linger();
    case "stop-reading":
      stdin.unpipe().pause();
      return linger();
    case "child":
      return startChild(fault.ms);
  }
}

/** Keeps the process alive when nothing else does, but not for ever. */
export function linger(): void {
  setTimeout(() => process.exit(0), LINGER_MS);
}

/** A signal such as SIGKILL needs a moment to arrive. */
function stay(): Promise<never> {
  return new Promise(() => {});
}

async function flood(
  { lines, bytes = 200, perWrite = 1 }: Extract<Fault, { kind: "flood" }>,
  stdout: Writable,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  for (let first = 0; first < lines; first += perWrite) {
    // Cancels arrive only between two turns of the event loop.
    if (first % 256 < perWrite) await nextTurn();
    signal.throwIfAborted();
    let batch = "";
    for (let nth = first; nth < Math.min(first + perWrite, lines); nth++) {
      batch += floodLine(session, nth, bytes);
    }
    if (!stdout.write(batch)) await once(stdout, "drain", { signal });
  }
}

/** A message chunk whose text begins with its number, padded so that the line has `bytes` bytes. */
function floodLine(sessionId: string, nth: number, bytes: number): string {
  const encode = (text: string) => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    const params = { sessionId, update };
    return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
  };
  const text = `${nth} `;
  return encode(text.padEnd(text.length + bytes - encode(text).length, "."));
}

async function startChild(ms: number): Promise<void> {
  const source = `process.on("SIGTERM", () => {}); process.stdout.write("up"); setTimeout(() => {}, ${ms});`;
  const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  // Only now does it ignore SIGTERM.
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.unref();
}
