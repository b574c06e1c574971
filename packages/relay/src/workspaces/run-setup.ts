import { PathMap } from "@acp-kit/acp-wire";
import { runCommand } from "../git/run-command.ts";
import type { Surroundings } from "./worktrees.ts";

/** How long a setup may take, in milliseconds: installing what a project needs. */
const SETUP_MS = 900_000;

/** How much of the end of its output is kept, in bytes. */
const OUTPUT_BYTES = 16 * 1024;

export type SetupResult = {
  readonly isDone: boolean;
  /** `ended with code 1`, and the like: fit for chat. */
  readonly how: string;
  /** For the operator. */
  readonly output: string;
};

/** Starts a program in a directory, also where a wrapper decides on the directory. */
const IN_DIRECTORY = 'cd -- "$1" && shift && exec "$@"';

/** Runs the setup of a new workspace as the agent, in its environment. */
export async function runSetup(
  argv: readonly string[],
  directory: string,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal: AbortSignal },
): Promise<SetupResult> {
  const { identity, env } = surroundings;
  const place = new PathMap(identity.pathMap).toAgent(directory);
  try {
    const { code, stdout, stderr, isLate } = await runCommand(
      ["/bin/sh", "-c", IN_DIRECTORY, "sh", place, ...argv],
      { identity, env, timeoutMs: SETUP_MS, signal, maxBytes: OUTPUT_BYTES, beyond: "tail" },
    );
    const output = `${stdout}${stderr}`;
    if (code === 0) return { isDone: true, how: "is done", output };
    if (isLate) return { isDone: false, how: "took too long", output };
    const how = code === undefined ? "was ended by a signal" : `ended with code ${code}`;
    return { isDone: false, how, output };
  } catch (error) {
    return { isDone: false, how: "could not be started", output: String(error) };
  }
}
