import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { parseArgs } from "node:util";
import { createFileStore, createMemoryStore } from "@acp-kit/acp-wire";
import { demoScript } from "./demo.ts";
import { parseScriptFile } from "./parse-script.ts";
import { type FaultyProcess, linger } from "./process-faults.ts";
import { createRecorder, noRecorder } from "./recorder.ts";
import { scenarios } from "./scenarios.ts";
import type { Script } from "./script.ts";
import { serveScript } from "./scripted-agent.ts";

const USAGE = `Usage: acp-demo-agent [options]

Speaks the Agent Client Protocol on stdin and stdout, for an ACP client to start.
Without options it is the demo.

  --scenario NAME   another built-in script: ${Object.keys(scenarios).join(", ")}
  --script FILE     a script of your own (JSON)
  --allow-inline    a prompt "script:[...]" brings its own script
  --speed N         divides every wait by N
  --store DIR       keeps sessions over restarts
  --record FILE     appends what the agent receives, one JSON object a line, synced
  --help, --version
`;

const options = {
  scenario: { type: "string" },
  script: { type: "string" },
  "allow-inline": { type: "boolean", default: false },
  speed: { type: "string", default: "1" },
  store: { type: "string" },
  record: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

/** The process that the agent is. */
export interface Host extends Omit<FaultyProcess, "flush"> {
  readonly argv: readonly string[];
  readonly stdin: NodeJS.ReadStream;
  /** From now on `listener` takes each SIGTERM, and it no longer ends the process. */
  onSigterm(listener: () => void): void;
}

/**
 * Runs `acp-demo-agent`. Resolves when the client has closed its end.
 *
 * @throws Error whose message tells what is wrong with the arguments
 */
export async function runAgent(host: Host): Promise<void> {
  const { stdin, stdout, stderr } = host;
  const { values } = parseArgs({ args: [...host.argv], options });
  const version = readVersion();
  if (values.help || values.version) {
    stdout.write(values.help ? USAGE : `${version}\n`);
    return;
  }
  const script = chooseScript(values);
  const speed = Number(values.speed);
  if (!(speed > 0)) throw new Error(`--speed should be a number above 0, not "${values.speed}".`);
  const store = values.store === undefined ? createMemoryStore() : createFileStore(values.store);
  const recorder = values.record === undefined ? noRecorder : createRecorder(values.record);
  const log = (line: string) => void stderr.write(`acp-demo-agent: ${line}\n`);
  if (stdin.isTTY) log("This speaks ACP on stdin; start it from an ACP client. See --help.");

  const ignore = new Set(script.ignore);
  if (ignore.has("sigterm")) host.onSigterm(() => recorder.note({ kind: "sigterm" }));
  const input = new PassThrough();
  stdin.once("end", () => {
    recorder.note({ kind: "eof" });
    if (ignore.has("eof")) linger();
  });
  stdin.pipe(input, { end: !ignore.has("eof") });
  await serveScript({
    script,
    version,
    speed,
    allowInline: values["allow-inline"],
    store,
    recorder,
    input,
    process: { stdin, stdout, stderr },
    log,
  });
}

function chooseScript({ scenario, script }: { scenario?: string; script?: string }): Script {
  if (scenario !== undefined && script !== undefined) {
    throw new Error("Give --script or --scenario, not both.");
  }
  if (script !== undefined) return readScript(script);
  if (scenario === undefined) return demoScript;
  const chosen = Object.hasOwn(scenarios, scenario) && scenarios[scenario];
  if (chosen) return chosen;
  const known = Object.keys(scenarios).join(", ");
  throw new Error(`There is no scenario "${scenario}"; there are ${known}.`);
}

function readScript(file: string): Script {
  try {
    return parseScriptFile(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`--script ${file}: ${(cause as Error).message}`, { cause });
  }
}

function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
