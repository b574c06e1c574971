import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a stand-in for a model does with a request, decided by what was said last. */
export type Reply =
  /** Calls the shell tool. */
  | "tool"
  /** Says {@link DONE}, for the tool's result is there. */
  | "done"
  /** Says {@link WAITING}, and never ends. */
  | "wait"
  /** Says {@link PLAIN}. */
  | "plain";

export const DONE = "The tool has run.";
export const WAITING = "I am still thinking.";
export const PLAIN = "Loopback says hello.";
/** Words of a prompt that ask for a reply. */
export const ASK_TOOL = "run-the-tool";
export const ASK_WAIT = "wait-for-ever";
/** What the tool is to do: harmless, visible, and nothing that an agent allows by itself. */
export const COMMAND = "touch made-by-the-agent";

export const ASK_PLAIN = "say-hello";

/** What of a conversation matters here, oldest first: texts, and that a tool's result is there. */
export type Said = { text: string } | { result: true };

/** The reply to the last thing that asks for one; agents put reminders of their own between. */
export function replyTo(said: readonly Said[]): Reply {
  for (const one of said.toReversed()) {
    if ("result" in one) return "done";
    if (one.text.includes(ASK_TOOL)) return "tool";
    if (one.text.includes(ASK_WAIT)) return "wait";
    if (one.text.includes(ASK_PLAIN)) return "plain";
  }
  return "plain";
}

export type Answer = (
  path: string,
  body: Record<string, unknown>,
  response: ServerResponse,
) => void;

/** A loopback server that answers every POST. */
export async function startModelMock(answer: Answer): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const raw = await text(request);
    const body = raw === "" ? {} : (JSON.parse(raw) as Record<string, unknown>);
    answer(request.url ?? "/", body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendEvents(
  response: ServerResponse,
  events: readonly { event?: string; data: unknown }[],
  end = true,
): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of events) {
    if (event) response.write(`event: ${event}\n`);
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  }
  if (end) response.end();
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
