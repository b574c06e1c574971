import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A stand-in for the Gemini API that gives every question the same answer. */
export type GeminiMock = AsyncDisposable & {
  readonly url: string;
  /** Body of each question, oldest first. */
  readonly questions: readonly string[];
};

/**
 * Listens on loopback. The answer streams in two parts.
 *
 * @see https://ai.google.dev/api/generate-content
 */
export async function startGeminiMock(answer: string): Promise<GeminiMock> {
  const questions: string[] = [];
  const half = Math.ceil(answer.length / 2);
  const frames = [candidate(answer.slice(0, half)), candidate(answer.slice(half), "STOP")];
  const server = createServer(async (incoming: IncomingMessage, outgoing) => {
    const body = await text(incoming);
    if (!incoming.url?.includes(":streamGenerateContent")) {
      outgoing.writeHead(404).end();
      return;
    }
    questions.push(body);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) outgoing.write(`data: ${JSON.stringify(frame)}\r\n\r\n`);
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    questions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function candidate(part: string, finishReason?: "STOP"): object {
  const content = { role: "model", parts: [{ text: part }] };
  return {
    candidates: [{ index: 0, content, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  };
}
