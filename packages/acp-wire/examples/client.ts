import { AgentProcess } from "@acp-kit/acp-wire";

const [prompt = "", ...command] = process.argv.slice(2);
await using agent = await AgentProcess.start({
  command,
  hostEnv: process.env,
  clientInfo: { name: "example", version: "1.0.0" },
});
const { sessionId } = await agent.newSession(process.cwd(), {
  update: ({ update }) => console.log(update.sessionUpdate, JSON.stringify(update["content"])),
  ask: async ({ options }) => ({ outcome: "selected", optionId: options[0]?.optionId ?? "" }),
});
const { stopReason } = await agent.prompt(sessionId, [{ type: "text", text: prompt }]);
console.log(stopReason);
