/** poe-relay that sends its files where POE_UPLOAD_URL says, in Poe's place. */
import process from "node:process";
import { demoAgentCommand } from "@acp-kit/demo-agent";
import { createPoeSurface } from "@acp-kit/poe-surface";
import { runRelay } from "@acp-kit/relay";
import { renderer } from "../../src/renderer/index.ts";

process.exitCode = await runRelay(
  {
    name: "poe-relay",
    version: "0",
    description: "",
    surfaceName: "poe",
    demoAgent: demoAgentCommand(),
    createSurface: createPoeSurface({ renderer, uploadUrl: process.env["POE_UPLOAD_URL"] ?? "" }),
  },
  process.argv.slice(2),
  process.env,
  process,
);
