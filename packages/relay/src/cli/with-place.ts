import type { Command } from "commander";
import { parseName } from "./option-parsers.ts";

/** The options that say which relay is meant. */
export function withPlace(command: Command): Command {
  return command
    .option("--config <file>", "configuration, JSON with comments")
    .option("--state-dir <dir>", "where state is kept")
    .option(
      "--instance <name>",
      "name of this relay among several on a machine",
      parseName,
      "default",
    );
}
