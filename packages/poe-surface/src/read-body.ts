import type { IncomingMessage } from "node:http";

/** A request's body as text; `too-large` beyond `maxBytes`, where the rest is left unread; `gone` if the client left. */
export async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly text: string } | "too-large" | "gone"> {
  if (Number(incoming.headers["content-length"]) > maxBytes) return "too-large";
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return "too-large";
      chunks.push(chunk);
    }
  } catch {
    return "gone";
  }
  return { text: Buffer.concat(chunks).toString("utf8") };
}
