/**
 * The least that a program can do between an agent and its clients: splits the agent's output into lines, parses each,
 * and writes one event for each chunk. Its argv is the agent's; it prints where it listens.
 */
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

type Message = {
  id?: number;
  result?: { sessionId?: string };
  params?: { sessionId?: string; update?: { sessionUpdate?: string; content?: { text?: string } } };
};

const [command = "", ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
/** What is done with the agent's answers, and where its sessions' texts go. */
const waiting = new Map<number, (result: Message["result"]) => void>();
const responses = new Map<string, ServerResponse>();
let ids = 0;
let rest: Buffer = Buffer.alloc(0);

agent.stdout.on("data", (bytes: Buffer) => {
  const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
  let start = 0;
  for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, start)) {
    take(JSON.parse(all.toString("utf8", start, end)) as Message);
    start = end + 1;
  }
  rest = all.subarray(start);
});

function take({ id, result, params }: Message): void {
  if (params?.update?.sessionUpdate === "agent_message_chunk") {
    const data = JSON.stringify({ text: params.update.content?.text });
    responses.get(params.sessionId ?? "")?.write(`event: text\ndata: ${data}\n\n`);
  } else if (id !== undefined) {
    waiting.get(id)?.(result);
    waiting.delete(id);
  }
}

function request(method: string, params: object): Promise<Message["result"]> {
  const { promise, resolve } = Promise.withResolvers<Message["result"]>();
  const id = ids++;
  waiting.set(id, resolve);
  agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return promise;
}

async function answer(outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const opened = await request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const sessionId = opened?.sessionId ?? "";
  responses.set(sessionId, outgoing);
  await request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
  responses.delete(sessionId);
  outgoing.end("event: done\ndata: {}\n\n");
}

const server = createServer((incoming, outgoing) => {
  incoming.resume().once("end", () => void answer(outgoing));
});

await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/\n`);
});
process.once("SIGTERM", () => {
  agent.kill();
  process.exit();
});
