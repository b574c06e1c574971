import { readFileSync } from "node:fs";
import { HELP, readCommandLine, type Surroundings } from "./command-line.ts";
import { Daemon } from "./daemon.ts";
import { rpcError } from "./mapping/errors.ts";
import { serveDcode } from "./serve-dcode.ts";

export type Program = Omit<Surroundings, "readFile"> & {
  readonly print: (text: string) => void;
  /** For people and logs, line by line. */
  readonly complain: (line: string) => void;
  readonly signal: AbortSignal;
};

/** The program `dcode-acp`. @throws Error with a sentence when it cannot serve */
export async function runAgent({
  print,
  complain,
  signal,
  ...surroundings
}: Program): Promise<void> {
  const readFile = (file: string) => readFileSync(file, "utf8");
  const command = readCommandLine({ ...surroundings, readFile });
  const version = readVersion();
  if (command.kind === "help") return print(HELP);
  if (command.kind === "version") return print(`${version}\n`);
  const daemon = new Daemon(command.addresses);
  try {
    await daemon.connect();
  } catch (error) {
    const { message, data } = rpcError(error);
    // One that is not there yet may come; a foreign one will not change.
    if ((data as { code?: string } | undefined)?.code !== "unreachable") {
      throw new Error(message, { cause: error });
    }
    complain(message);
  }
  const { directory } = command;
  const onError = (error: unknown, what: string) => complain(`${what}: ${messageOf(error)}`);
  await serveDcode({ daemon, directory, version, signal, onError });
}

function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
