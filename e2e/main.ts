/** Runs one of the scripts with real agents and clients: `pnpm e2e NAME [options]`. Exits with 0 only if all held. */
import process from "node:process";
import { fastapiPoe } from "./fastapi-poe.ts";
import { poeGemini } from "./poe-gemini.ts";

const scripts: Readonly<Record<string, typeof poeGemini>> = {
  "fastapi-poe": fastapiPoe,
  "poe-gemini": poeGemini,
};

const [name = "", ...args] = process.argv.slice(2);
const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
if (script) {
  await script(args, (line) => process.stdout.write(`${line}\n`));
} else {
  process.stderr.write(`Name a script: ${Object.keys(scripts).join(", ")}.\n`);
  process.exitCode = 1;
}
