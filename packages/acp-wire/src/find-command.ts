import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/**
 * The file that a command names, looked up as `execvp` does: a name with a slash relative to `cwd`,
 * any other on `PATH`. Undefined when there is no such executable file.
 */
export function findCommand(
  command: string,
  { cwd = ".", path = "" }: { cwd?: string | undefined; path?: string | undefined },
): string | undefined {
  if (command === "") return undefined;
  if (isAbsolute(command) || command.includes("/")) {
    const file = resolve(cwd, command);
    return isExecutable(file) ? file : undefined;
  }
  for (const directory of path.split(delimiter)) {
    const file = resolve(cwd, join(directory || ".", command));
    if (isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
