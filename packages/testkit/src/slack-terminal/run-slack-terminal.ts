import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeSlack } from "../slack/fake-slack.ts";
import { waitFor } from "../wait-for.ts";
import { AppChild } from "./app-child.ts";
import { harmlessText } from "./harmless-text.ts";
import type { ScreenStreams } from "./screen.ts";
import { SlackTerminal } from "./slack-terminal.ts";

const USAGE = `Usage: slack-terminal COMMAND [ARGUMENT…]

Starts COMMAND as the app of a Slack workspace that exists on this machine only, and lets you type as its people.
The app gets SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, and XDG_STATE_HOME for its state,
which is removed at the end; it has to use Socket Mode.
`;

/** Until the app has connected. */
const START_MS = 60_000;

export type SlackTerminalProgram = ScreenStreams & {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Calls `listener` when the program is to end. */
  readonly onEnd: (listener: () => void) => void;
};

/** Gives the exit code: 1 when the app did not come up, or has ended by itself. */
export async function runSlackTerminal(program: SlackTerminalProgram): Promise<number> {
  const { argv, env, onEnd, ...streams } = program;
  if (argv.length === 0 || argv[0] === "--help") {
    streams.output.write(USAGE);
    return argv.length === 0 ? 1 : 0;
  }
  const stopped = new Promise<"stopped">((resolve) => onEnd(() => resolve("stopped")));
  await using slack = await FakeSlack.start({ pingEveryMs: 5_000, fileShareMs: 200 });
  await using stack = new AsyncDisposableStack();
  const state = mkdtempSync(join(tmpdir(), "slack-"));
  stack.defer(() => rmSync(state, { recursive: true, force: true, maxRetries: 3 }));
  const { botToken, appToken, signingSecret } = slack.app;
  const app = stack.use(
    new AppChild(argv, {
      ...env,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: botToken,
      SLACK_APP_TOKEN: appToken,
      SLACK_SIGNING_SECRET: signingSecret,
      XDG_STATE_HOME: state,
    }),
  );
  const over = Promise.race([app.ended.then(() => "ended" as const), stopped]);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  streams.output.write("Starting the app…\n");
  const isThere = () => isOver || slack.socketMode.ready > 0;
  const first = await waitFor("the app", isThere, START_MS).then(
    () => (isOver ? over : "here"),
    () => "late" as const,
  );
  if (first !== "here") return first === "stopped" ? 0 : fail(streams, app, first);
  const last = await sit(new SlackTerminal({ ...streams, slack, log: () => app.log }), over);
  if (last === "ended") return fail(streams, app, last);
  streams.output.write("Ending the app, which has some seconds for what it is at…\n");
  return 0;
}

async function sit<T>(terminal: SlackTerminal, over: Promise<T>): Promise<T | undefined> {
  using sitting = terminal;
  sitting.print(
    "The app is here. Say something to it; /log shows what it has printed, /help lists what else you can do.",
  );
  return (await Promise.race([over, sitting.done])) ?? undefined;
}

function fail({ output }: ScreenStreams, app: AppChild, how: "ended" | "late"): number {
  const what = how === "ended" ? "The app has ended" : "The app has not connected";
  output.write(harmlessText(`${what}. It has printed:\n${app.log.join("\n")}\n`));
  return 1;
}
