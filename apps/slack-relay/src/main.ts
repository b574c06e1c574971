#!/usr/bin/env node
// Everything else is imported after this: an older Node.js would fail on it with a stack instead of a sentence.
const needed = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(
    `slack-relay: Node.js ${process.versions.node} is too old; install ${needed.join(".")} or newer\n`,
  );
  process.exit(1);
}

const [{ readFileSync }, { demoAgentCommand }, { runRelay }] = await Promise.all([
  import("node:fs"),
  import("@acp-kit/demo-agent"),
  import("@acp-kit/relay"),
]);
const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
const { version, description } = JSON.parse(manifest) as { version: string; description: string };
const surface = () => import("@acp-kit/slack-surface");

process.exitCode = await runRelay(
  {
    name: "slack-relay",
    version,
    description,
    surfaceName: "slack",
    demoAgent: demoAgentCommand(),
    async createSurface(context) {
      const [{ createSlackSurface }, { renderer }] = await Promise.all([
        surface(),
        import("./renderer/index.ts"),
      ]);
      return createSlackSurface({ renderer })(context);
    },
    createDownloads: async (...given) => (await surface()).createDownloadsOfBot(...given),
    loadTables: async () => [(await surface()).slackTables],
    checkBot: async (bot) => (await surface()).checkSlackBot(bot),
    commands: [
      {
        name: "manifest",
        description: "Print what Slack makes a bot's app from, for https://api.slack.com/apps",
        options: [
          ["--bot <name>", "the bot of the configuration, if there are several"],
          ["--name <text>", "what the app is called (default: the bot's name)"],
          ["--http <url>", "the relay's address, for an app that sends events over HTTP"],
        ],
        run: async (...given) => (await surface()).formatManifest(...given),
      },
    ],
  },
  process.argv.slice(2),
  process.env,
  process,
);

export {};
