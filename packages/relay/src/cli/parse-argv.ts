import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { RelayApp } from "../app.ts";
import { NAME } from "../config/schema.ts";
import type { StartFlags } from "../settings.ts";
import { splitWords } from "./split-words.ts";

/** What the command line asks for. `text` is for stdout when `code` is 0, else one line for stderr. */
export type Invocation =
  | { readonly kind: "start"; readonly config: string | undefined; readonly flags: StartFlags }
  | { readonly kind: "print"; readonly code: 0 | 1; readonly text: string };

/** @param argv - Without program and script. */
export function parseArgv(app: RelayApp, argv: readonly string[]): Invocation {
  let invocation: Invocation | undefined;
  let out = "";
  const program = new Command(app.name)
    .description(app.description)
    .version(app.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        out += text;
      },
      writeErr: () => {},
    });
  program
    .command("start")
    .description(
      `Serve. Without --config and ${app.keyEnv} this is a demo: for this machine only, with a pretend agent.`,
    )
    .option("--config <file>", "configuration, JSON with comments")
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on, 0 for any (default: 8787)", parsePort)
    .option("--path <path>", "path of the bot (default: /poe)", parsePath)
    .option("--state-dir <dir>", "where state is kept")
    .option("--workspace <dir>", "existing directory that the agent works in")
    .option("--agent <argv>", 'agent to run, quoted like "my-agent --acp"', parseAgent)
    .option(
      "--instance <name>",
      "name of this relay among several on a machine",
      parseName,
      "default",
    )
    .option("--speed <factor>", "how fast the demo agent plays (default: 1)", parseSpeed)
    .action((options: StartFlags & { config?: string }) => {
      const { config, ...flags } = options;
      invocation = { kind: "start", config, flags };
    });
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "print", code: 0, text: out };
    if (error.code === "commander.help")
      return {
        kind: "print",
        code: 1,
        text: `no command given; try "${app.name} start", or "${app.name} --help"`,
      };
    const message = error.message.replace(/^error: |\.$/g, "").replaceAll("\n", " ");
    return { kind: "print", code: 1, text: `${message}; see "${app.name} start --help"` };
  }
  return invocation ?? { kind: "print", code: 0, text: out };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  }
  return port;
}

function parsePath(text: string): string {
  if (!/^\/[A-Za-z0-9_.~/-]*$/.test(text) || text === "/healthz") {
    throw new InvalidArgumentError('A path is like "/poe", and "/healthz" is taken.');
  }
  return text;
}

function parseAgent(text: string): readonly string[] {
  const words = splitWords(text);
  if (!words) throw new InvalidArgumentError("A quote is not closed.");
  if (!words[0]) throw new InvalidArgumentError("It names no program.");
  return words;
}

function parseName(text: string): string {
  if (!NAME.test(text)) {
    throw new InvalidArgumentError("A name has letters, digits and . _ - only, at most 64.");
  }
  return text;
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed > 0 && Number.isFinite(speed))) {
    throw new InvalidArgumentError("A speed is a number above 0.");
  }
  return speed;
}
