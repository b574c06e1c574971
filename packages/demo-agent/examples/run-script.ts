import { fileURLToPath } from "node:url";
import { AgentProcess } from "@acp-kit/acp-wire";
import { demoAgentCommand } from "@acp-kit/demo-agent";

const script = fileURLToPath(new URL("script.json", import.meta.url));
await using agent = await AgentProcess.start({
  command: demoAgentCommand(["--script", script]),
  hostEnv: process.env,
  clientInfo: { name: "example", version: "1" },
});
const { sessionId } = await agent.newSession("/", {
  update: ({ update }) => console.log(update.sessionUpdate),
  ask: async () => ({ outcome: "selected", optionId: "no" }),
});
const { stopReason } = await agent.prompt(sessionId, [{ type: "text", text: "clean up" }]);
console.log(stopReason); // end_turn
