import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program to its end. @throws Error with all that it printed */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, [...args], { cwd });
  return stdout;
}
