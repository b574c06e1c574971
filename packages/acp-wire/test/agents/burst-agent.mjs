// Answers every prompt with COUNT updates and the response, in one write. Usage: burst-agent.mjs COUNT
import { createInterface } from "node:readline";

const update = JSON.stringify({
  jsonrpc: "2.0",
  method: "session/update",
  params: {
    sessionId: "s",
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } },
  },
});
const burst = `${update}\n`.repeat(Number(process.argv[2]));

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id } = JSON.parse(line);
  const done = JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } });
  process.stdout.write(`${burst}${done}\n`);
});
