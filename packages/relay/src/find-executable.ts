import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";

/** Used when the environment has no PATH, as a shell would. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The file that running `command` would start: looked up in `path` when it is a bare name, else taken from the current
 * directory. `undefined` when there is none that may be executed.
 */
export async function findExecutable(
  command: string,
  path: string = DEFAULT_PATH,
): Promise<string | undefined> {
  if (command.includes("/")) {
    const file = resolve(command);
    return (await isExecutable(file)) ? file : undefined;
  }
  for (const directory of path.split(delimiter)) {
    const file = join(directory || ".", command);
    if (await isExecutable(file)) return resolve(file);
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
