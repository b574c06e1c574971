import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type Received = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

export type HttpApp = { readonly url: string; readonly received: readonly Received[] };

/** Answers each request of the platform. `undefined` leaves it without an answer. */
export type Reaction = (
  request: Received,
) =>
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string }
  | undefined;

/** An app on HTTP that keeps what it is sent. */
export async function startApp(react: Reaction = () => ({})): Promise<HttpApp> {
  const received: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = { headers: incoming.headers, body: await text(incoming) };
    received.push(request);
    const answer = react(request);
    if (answer) outgoing.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

/** The payload of an interaction. */
export function payloadOf({ body }: Received): Record<string, unknown> {
  return JSON.parse(new URLSearchParams(body).get("payload") ?? "null");
}
