/** An agent whose every chunk says when it was sent: `turns` at once, one chunk of each every few milliseconds. */
import process from "node:process";
import { createInterface } from "node:readline";

const [chunks = 0, everyMs = 0] = process.argv.slice(2).map(Number);
let sessions = 0;

const send = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Like the words of a model: a line has ten of them. */
function chunk(at: number): string {
  return `${(performance.timeOrigin + performance.now()).toFixed(2)} ${at % 10 === 9 ? "\n" : ""}`;
}

function prompt(id: number, sessionId: string): void {
  let at = 0;
  const timer = setInterval(() => {
    const content = { type: "text", text: chunk(at) };
    send({
      method: "session/update",
      params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
    });
    at += 1;
    if (at < chunks) return;
    clearInterval(timer);
    send({ id, result: { stopReason: "end_turn" } });
  }, everyMs);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method?: string;
    params?: { sessionId?: string };
  };
  if (id === undefined) return;
  if (method === "session/prompt") prompt(id, params?.sessionId ?? "");
  else if (method === "session/new") send({ id, result: { sessionId: `s${++sessions}` } });
  else send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
});
lines.once("close", () => process.exit());
