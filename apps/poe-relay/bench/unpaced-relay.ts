/** poe-relay that sends each chunk at once: what pacing adds on purpose is not its cost. */
import process from "node:process";
import { demoAgentCommand } from "@acp-kit/demo-agent";
import { createPoeSurface } from "@acp-kit/poe-surface";
import { runRelay } from "@acp-kit/relay";
import { renderer } from "../src/renderer/index.ts";

process.exitCode = await runRelay(
  {
    name: "poe-relay",
    version: "0",
    description: "",
    surfaceName: "poe",
    demoAgent: demoAgentCommand(),
    createSurface: createPoeSurface({ renderer, limits: { flushPeriodMs: 0 } }),
  },
  process.argv.slice(2),
  process.env,
  process,
);
