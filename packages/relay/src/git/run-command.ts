import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AgentIdentity } from "../agent-identity.ts";

export type CommandOptions = {
  readonly identity: AgentIdentity;
  /** Variables of the command; a wrapper may not pass them on. */
  readonly env: Readonly<Record<string, string>>;
  /** On the host; default: the root. Irrelevant to most wrappers. */
  readonly cwd?: string;
  /** A stream is read to its end or destroyed; when it fails, or is not wanted, the command is killed. */
  readonly input?: string | Readable;
  /** Then its process group is killed. What a wrapper started elsewhere may live on. */
  readonly timeoutMs: number;
  /** Aborted: it is killed, and counts as late. */
  readonly signal?: AbortSignal | undefined;
  /** Of stdout and of stderr each. At the first byte more it is killed, unless `beyond` says otherwise. */
  readonly maxBytes: number;
  /** `end`: kill it. `tail`: keep its last bytes, it runs on. Default `end`. */
  readonly beyond?: "end" | "tail";
};

export type CommandResult = {
  /** Absent when a signal ended it, and when it was not given all of its input. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Output was left out. */
  readonly isCut: boolean;
  readonly isLate: boolean;
};

/** Runs a program as the agent, without a shell. Rejects when it cannot be started. */
export function runCommand(
  argv: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { identity, env, cwd = "/", input, timeoutMs, signal, maxBytes, beyond = "end" } = options;
  const { wrapper = [], runAs } = identity;
  const [file = "", ...args] = [...wrapper, ...argv];
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const child = spawn(file, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    ...runAs,
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended.
    }
  };
  let isLate = false;
  let isCut = false;
  let isBroken = false;
  const stop = () => {
    isLate = true;
    kill();
  };
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  const over = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  };
  const onFull = () => {
    isCut = true;
    if (beyond === "end") kill();
  };
  const stdout = new Output(maxBytes, beyond, onFull);
  const stderr = new Output(maxBytes, beyond, onFull);
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.on("error", (error) => {
    over();
    reject(error);
  });
  // It may hold its output open in a process that it left behind: that one ends with it.
  child.on("exit", kill);
  child.on("close", (code) => {
    over();
    const ended = code === null || isBroken ? undefined : code;
    resolve({ code: ended, stdout: stdout.text, stderr: stderr.text, isCut, isLate });
  });
  child.stdin.on("error", () => {
    // It does not want its input.
  });
  if (typeof input === "object") {
    // Half of it would look like all of it: the command must not see an end, nor count as well ended if it did.
    input.once("error", kill);
    pipeline(input, child.stdin).catch(() => {
      isBroken = true;
      kill();
    });
  } else child.stdin.end(input ?? "");
  return promise;
}

/** The first, or the last, `maxBytes` of a stream. */
class Output {
  readonly #maxBytes: number;
  readonly #beyond: "end" | "tail";
  readonly #onFull: () => void;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, beyond: "end" | "tail", onFull: () => void) {
    this.#maxBytes = maxBytes;
    this.#beyond = beyond;
    this.#onFull = onFull;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#onFull();
    const all = Buffer.concat(this.#chunks);
    const kept =
      this.#beyond === "end" ? all.subarray(0, this.#maxBytes) : all.subarray(-this.#maxBytes);
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
