/**
 * The least that a program can do between an agent and a client: splits the agent's output into lines, parses each,
 * and writes one event for each chunk. Its argv is the agent's; it prints where it listens.
 */
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

type Message = {
  id?: number;
  result?: { sessionId?: string };
  params?: { update?: { sessionUpdate?: string; content?: { text?: string } } };
};

const [command = "", ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
let session = "";
let response: ServerResponse | undefined;
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
    response?.write(`event: text\ndata: ${data}\n\n`);
  } else if (id === 0) {
    send(1, "session/new", { cwd: process.cwd(), mcpServers: [] });
  } else if (id === 1) {
    session = result?.sessionId ?? "";
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      process.stdout.write(`http://127.0.0.1:${port}/\n`);
    });
  } else if (id === 2) {
    response?.end("event: done\ndata: {}\n\n");
  }
}

function send(id: number, method: string, params: object): void {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
}

const server = createServer((incoming, outgoing) => {
  response = outgoing.writeHead(200, { "content-type": "text/event-stream" });
  incoming.resume().once("end", () => {
    send(2, "session/prompt", { sessionId: session, prompt: [{ type: "text", text: "go" }] });
  });
});

send(0, "initialize", { protocolVersion: 1, clientCapabilities: {} });
process.once("SIGTERM", () => {
  agent.kill();
  process.exit();
});
