/** poe-relay with room for answers that Poe would not take, each of whose processes says at its end how much memory it took. */
import process from "node:process";
import { demoAgentCommand } from "@acp-kit/demo-agent";
import { createPoeSurface } from "@acp-kit/poe-surface";
import { runRelay } from "@acp-kit/relay";
import { renderer } from "../src/renderer/index.ts";

process.on("exit", () => {
  process.stdout.write(`peak ${process.resourceUsage().maxRSS} KiB\n`);
});

process.exitCode = await runRelay(
  {
    name: "poe-relay",
    version: "0",
    description: "",
    surfaceName: "poe",
    demoAgent: demoAgentCommand(),
    createSurface: createPoeSurface({
      renderer,
      limits: { parkTextCharacters: 2 ** 26, parkEvents: 1_000_000 },
    }),
  },
  process.argv.slice(2),
  process.env,
  process,
);
