import http from "node:http";
import { text } from "node:stream/consumers";

type Call = { method: string; path: string; body?: string; headers?: Record<string, string> };

function open(
  socketPath: string,
  { method, path, body, headers }: Call,
): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request(
    { socketPath, method, path, agent: false, ...(headers && { headers }) },
    resolve,
  );
  request.on("error", reject);
  request.end(body);
  return promise;
}

/** A request by hand, for what no client shows. */
export async function request(socketPath: string, call: Call) {
  const response = await open(socketPath, call);
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** An event stream by hand: its text, as far as it is there when `enough` is satisfied. */
export async function readStream(
  socketPath: string,
  path: string,
  enough: (text: string) => boolean,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await open(socketPath, { method: "GET", path, headers });
  response.setEncoding("utf8");
  let all = "";
  for await (const chunk of response as AsyncIterable<string>) {
    all += chunk;
    if (enough(all)) break;
  }
  return all;
}

/** An event stream that nobody reads; resolves when the daemon has ended it. */
export async function ignoreStream(socketPath: string, path: string) {
  const response = await open(socketPath, { method: "GET", path });
  return { response, read: () => text(response) };
}
