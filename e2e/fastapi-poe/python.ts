import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { run } from "../run.ts";

/** Takes one of its inputs at a time. */
export class PythonClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(python: string) {
    const script = fileURLToPath(new URL("client.py", import.meta.url));
    this.#child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    if (!this.#child.stdout) throw new Error("no output");
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** @throws what Python raised, in its words */
  async ask<Result>(command: { do: string; [argument: string]: unknown }): Promise<Result> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`Python ended in ${command.do}`);
    const { result, error } = JSON.parse(value);
    if (error !== undefined) throw new Error(`${command.do}: ${error}`);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    await ended;
  }
}

/** A bot on Poe's own server, until it is disposed. */
export async function startPythonBot(python: string, key: string) {
  const script = fileURLToPath(new URL("server.py", import.meta.url));
  const child = spawn(python, [script], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], POE_ACCESS_KEY: key },
  });
  const ended = once(child, "exit");
  const port = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(() => Promise.reject(new Error("Poe's server did not start"))),
  ]);
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Python with one version of Poe's library, in a virtual environment of its own that later runs find again.
 *
 * @returns its program, or why there is none
 */
export async function installLibrary(
  version: string,
): Promise<{ python: string } | { missing: string }> {
  const directory = path.join(tmpdir(), `acp-kit-fastapi-poe-${version}`);
  const python = path.join(directory, "bin", "python");
  const whole = path.join(directory, "whole");
  if (existsSync(whole)) return { python };
  try {
    await rm(directory, { recursive: true, force: true });
    await run("python3", ["-m", "venv", directory], tmpdir());
    await run(python, ["-m", "pip", "install", "--quiet", `fastapi-poe==${version}`], tmpdir());
    await writeFile(whole, "");
    return { python };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    return { missing: String(error) };
  }
}
