import { Command, CommanderError } from "commander";
import type { AppCommand, RelayApp } from "../app.ts";
import type { SurfaceName } from "../config/bot-schema.ts";
import { DEFAULT_PORTS, type StartFlags } from "../settings.ts";
import { parseAgent, parsePath, parsePort, parseSeconds, parseSpeed } from "./option-parsers.ts";
import { addPeople } from "./people-commands.ts";
import { addRecords } from "./record-commands.ts";
import type { CheckRequest, Invocation, Place } from "./requests.ts";
import { withPlace } from "./with-place.ts";

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
  const take = (taken: Invocation) => {
    invocation = taken;
  };
  addStart(program, app, take);
  addStateCommands(program, take);
  addSessions(program, take);
  addPeople(program, take);
  addRecords(program, take);
  addCheck(program, take);
  for (const command of app.commands ?? []) addAppCommand(program, command, take);
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "print", code: 0, text: out };
    return { kind: "print", code: 1, text: describeMistake(app, program, argv, error) };
  }
  return invocation ?? { kind: "print", code: 0, text: out };
}

const descriptions: Readonly<Record<SurfaceName, string>> = {
  poe: "Serve. Without --config and POE_ACCESS_KEY this is a demo: for this machine only, with a pretend agent.",
  slack: "Serve. It takes --config, or SLACK_BOT_TOKEN and SLACK_APP_TOKEN.",
};

const paths: Readonly<Record<SurfaceName, string>> = {
  poe: "/poe",
  slack: "/slack/events, for a bot that is sent events over HTTP",
};

type Take = (invocation: Invocation) => void;

const WORKSPACE = ["--workspace <dir>", "existing directory that the agent works in"] as const;

const AGENT = ["--agent <argv>", 'agent to run, quoted like "my-agent --acp"', parseAgent] as const;

function addStart(program: Command, app: RelayApp, take: Take): void {
  withPlace(program.command("start").description(descriptions[app.surfaceName]))
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option(
      "--port <port>",
      `port to listen on, 0 for any (default: ${DEFAULT_PORTS[app.surfaceName]})`,
      parsePort,
    )
    .option("--path <path>", `path of the bot (default: ${paths[app.surfaceName]})`, parsePath)
    .option(...WORKSPACE)
    .option(...AGENT)
    .option("--speed <factor>", "how fast the demo agent plays (default: 1)", parseSpeed)
    .option(
      "--drain-seconds <seconds>",
      "how long turns may go on when the relay stops (default: 8; the demo: 0)",
      parseSeconds,
    )
    .action(({ config, ...flags }: StartFlags & { config?: string }) =>
      take({ kind: "start", config, flags }),
    );
}

const CONFIG = ["--config <file>", "configuration, JSON with comments"] as const;

function addCheck(program: Command, take: Take): void {
  withPlace(
    program
      .command("check")
      .description("Say whether a start with the same options would do, and what to think of."),
  )
    .option(...WORKSPACE)
    .option(...AGENT)
    .option("--offline", "ask no platform about its bots", false)
    .action(
      ({
        config,
        offline,
        ...flags
      }: CheckRequest["flags"] & { config?: string; offline: boolean }) =>
        take({ kind: "check", config, flags, isOffline: offline }),
    );
}

function addAppCommand(program: Command, command: AppCommand, take: Take): void {
  const { name, description, options } = command;
  const added = program.command(name).description(description);
  added.option(...CONFIG);
  for (const option of options) added.option(...option);
  added.action(({ config, ...options }: { config?: string }) =>
    take({ kind: "app", command, config, options }),
  );
}

function addStateCommands(program: Command, take: Take): void {
  withPlace(
    program
      .command("backup <file>")
      .description("Save everything that a relay knows into a new file, also while it runs."),
  ).action((file: string, place: Place) => take({ kind: "backup", file, place }));
  withPlace(
    program
      .command("restore <file>")
      .description("Put a backup in the place of what a relay knows. It must not run."),
  ).action((file: string, place: Place) => take({ kind: "restore", file, place }));
  withPlace(
    program
      .command("erase")
      .description("Remove a person or a conversation from everything that a relay keeps."),
  )
    .option("--user <id>", "the platform's id of a person")
    .option(
      "--conversation <id>",
      'a conversation, by the key that "sessions list" shows or its id',
    )
    .option("--dry-run", "only say what would be removed", false)
    .action(
      (options: Place & { user?: string; conversation?: string; dryRun: boolean }, command) => {
        const { user, conversation, dryRun, ...place } = options;
        if ((user === undefined) === (conversation === undefined)) {
          command.error("give either --user or --conversation");
        }
        const what = user === undefined ? { conversation: conversation ?? "" } : { user };
        take({ kind: "erase", what, dryRun, place });
      },
    );
}

function addSessions(program: Command, take: Take): void {
  withPlace(
    program
      .command("worktrees")
      .description("List the worktrees that conversations have, and what in them is nowhere else."),
  ).action((place: Place) => take({ kind: "worktrees", place }));
  const sessions = program.command("sessions").description("Look at the conversations of a relay.");
  withPlace(sessions.command("list").description("List all conversations.")).action(
    (place: Place) => take({ kind: "list", place }),
  );
  withPlace(
    sessions.command("show <conversation>").description("Print a conversation to read it."),
  ).action((conversation: string, place: Place) => take({ kind: "show", conversation, place }));
  withPlace(
    sessions
      .command("export <conversation> [file]")
      .description("Write everything that is kept of a conversation, as lines of JSON."),
  ).action((conversation: string, file: string | undefined, place: Place) =>
    take({ kind: "export", conversation, file, place }),
  );
  withPlace(
    sessions.command("delete <conversation>").description("Erase a conversation; see erase."),
  ).action((conversation: string, place: Place) =>
    take({ kind: "erase", what: { conversation }, dryRun: false, place }),
  );
}

function describeMistake(
  { name }: RelayApp,
  program: Command,
  argv: readonly string[],
  error: CommanderError,
): string {
  const command = program.commands.find((one) => one.name() === argv[0])?.name();
  if (error.code === "commander.help") {
    return command === undefined
      ? `no command given; try "${name} start", or "${name} --help"`
      : `${command} needs a command behind it; see "${name} ${command} --help"`;
  }
  const message = error.message.replace(/^error: |\.$/g, "").replaceAll("\n", " ");
  return `${message}; see "${name} ${command === undefined ? "" : `${command} `}--help"`;
}
