import { mkdtempSync, rmSync } from "node:fs";
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { DcodeClient } from "../src/index.ts";

export type Received = {
  method: string;
  url: string;
  body: string;
  headers: http.IncomingHttpHeaders;
};

export type TestServer = AsyncDisposable & {
  readonly client: DcodeClient;
  readonly socketPath: string;
  readonly received: readonly Received[];
};

/** An HTTP server of the test's own on a Unix socket, and a client of it. */
export async function serve(
  answer: (response: ServerResponse, request: Received) => unknown,
): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "dcode-client-"));
  const socketPath = path.join(folder, "d.sock");
  const received: Received[] = [];
  const listener: RequestListener = async (request: IncomingMessage, response) => {
    const { method = "", url = "", headers } = request;
    const entry = { method, url, headers, body: await text(request) };
    received.push(entry);
    await answer(response, entry);
  };
  const server = http.createServer((request, response) => void listener(request, response));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(socketPath, resolve);
  await promise;
  return {
    client: new DcodeClient({ socketPath }),
    socketPath,
    received,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(`${JSON.stringify(value)}\n`);
}

export const session = {
  id: "s1",
  state: "idle",
  workspace: "/w",
  model: "m-1",
  sandbox_mode: "workspace-write",
  mode: "assist",
  created_at: "2026-08-11T12:00:00Z",
  last_seq: 1,
  done_criteria: 0,
};

/** A message fragment in its frame, as the daemon sends it. */
export function frame(seq: number, content = `text ${seq}`): string {
  const event = {
    seq,
    session_id: "s1",
    type: "message.delta",
    at: "2026-08-11T12:00:00Z",
    payload: { turn_id: "t1", text: content },
  };
  return `id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What a promise was rejected with. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}
