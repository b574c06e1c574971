/**
 * poe-relay with room for answers that Poe would not take. Each of its processes collects garbage all the time, so that
 * what it takes is what it holds, and says both at its end.
 */
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { demoAgentCommand } from "@acp-kit/demo-agent";
import { createPoeSurface } from "@acp-kit/poe-surface";
import { runRelay } from "@acp-kit/relay";
import { renderer } from "../src/renderer/index.ts";

const COLLECT_MS = 300;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
let held = 0;
setInterval(() => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  held = Math.max(held, heapUsed + external);
}, COLLECT_MS).unref();

process.on("exit", () => {
  process.stdout.write(`peak ${process.resourceUsage().maxRSS} KiB\n`);
  process.stdout.write(`held ${Math.round(held / 1024)} KiB\n`);
});

process.exitCode = await runRelay(
  {
    name: "poe-relay",
    version: "0",
    description: "",
    surfaceName: "poe",
    demoAgent: demoAgentCommand(),
    keyEnv: "POE_ACCESS_KEY",
    createSurface: createPoeSurface({
      renderer,
      limits: { parkTextCharacters: 2 ** 26, parkEvents: 1_000_000 },
    }),
  },
  process.argv.slice(2),
  process.env,
  process,
);
