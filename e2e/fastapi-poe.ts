import { parseArgs } from "node:util";
import { checkCalls } from "./fastapi-poe/check-calls.ts";
import { checkLibrary } from "./fastapi-poe/check-library.ts";
import { checkRelay } from "./fastapi-poe/check-relay.ts";
import { installLibrary } from "./fastapi-poe/python.ts";

/** Newest, and one of the year before that many bots still run with. */
const VERSIONS = ["0.0.81", "0.0.83"];

/**
 * Poe's own Python library against ours and against the relay: its client asks them, its models check their
 * settings, its server is asked by our driver.
 *
 * @param args - `--version V`: only this one, or another.
 * @param say - Takes a line on each thing that held.
 * @throws at the first thing that did not hold
 */
export async function fastapiPoe(
  args: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { version: { type: "string", multiple: true } },
  });
  for (const version of values.version ?? VERSIONS) {
    const library = await installLibrary(version);
    if ("missing" in library) {
      say(`SKIPPED: NOTHING WAS CHECKED against fastapi-poe ${version}: ${library.missing}`);
      continue;
    }
    say(`fastapi-poe ${version}`);
    const tell = (line: string) => say(`  ${line}`);
    await checkLibrary(library.python, tell);
    await checkCalls(library.python, tell);
    await checkRelay(library.python, tell);
  }
}
