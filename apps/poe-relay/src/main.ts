#!/usr/bin/env node
// Everything else is imported after this: an older Node.js would fail on it with a stack instead of a sentence.
const needed = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(
    `poe-relay: Node.js ${process.versions.node} is too old; install ${needed.join(".")} or newer\n`,
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

process.exitCode = await runRelay(
  {
    name: "poe-relay",
    version,
    description,
    surfaceName: "poe",
    demoAgent: demoAgentCommand(),
    async createSurface(context) {
      const [{ createPoeSurface }, { createRenderer }] = await Promise.all([
        import("@acp-kit/poe-surface"),
        import("./renderer/index.ts"),
      ]);
      return createPoeSurface({ renderer: createRenderer(context) })(context);
    },
  },
  process.argv.slice(2),
  process.env,
  process,
);

export {};
