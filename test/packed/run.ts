import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The root of the workspace, with a slash at its end. */
export const root = new URL("../../", import.meta.url).pathname;

/** Runs a program to its end and returns what it printed. A failure names the exit code and everything printed. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string = root,
): Promise<string> {
  try {
    const { stdout } = await execute(command, [...args], { cwd, maxBuffer: 64 * 2 ** 20 });
    return stdout;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`, {
      cause: error,
    });
  }
}

/** Runs a script on another Node.js, which npm fetches when it is not there yet. */
export function runOnNode(version: number, args: readonly string[], cwd?: string): Promise<string> {
  return run("npx", ["-y", `node@${version}`, ...args], cwd);
}
