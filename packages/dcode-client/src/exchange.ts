import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { ErrorCode, errorBodySchema, ProtocolError, parseBody } from "@acp-kit/dcode-protocol";
import type { Endpoint } from "./address.ts";
import { ClientError } from "./client-error.ts";

export type Call = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly json?: string;
  readonly signal?: AbortSignal | undefined;
};

/** Longest answer that is read, in characters. A list of every session of a daemon is far below it. */
const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_REFUSAL = 64 * 1024;

/**
 * Sends a request and gives the answer's text.
 *
 * @param timeoutMs - For the whole exchange.
 * @throws ProtocolError with the daemon's code when it refuses.
 * @throws ClientError of every code that is not about events.
 */
export async function exchange(
  endpoint: Endpoint,
  call: Call,
  timeoutMs: number | undefined,
): Promise<string> {
  const late = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs);
  const signals = call.signal ? [call.signal, late.signal] : [late.signal];
  try {
    const response = await send(endpoint, { ...call, signal: AbortSignal.any(signals) });
    await refuseUnlessOk(endpoint, call, response);
    const text = await readText(response, MAX_ANSWER);
    if (text !== undefined) return text;
    throw new ClientError(`The answer is longer than ${MAX_ANSWER} characters.`, {
      code: "bad_answer",
    });
  } catch (error) {
    if (call.signal?.aborted) throw abortedError(call, call.signal);
    if (late.signal.aborted) {
      throw new ClientError(
        `The daemon at ${endpoint.name} did not answer ${call.method} ${call.path} within ${timeoutMs} ms.`,
        { code: "timeout", cause: error },
      );
    }
    throw asConnectionError(endpoint, error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request; resolves with the head of the answer. Each one has a connection of its own.
 *
 * @param silenceMs - The connection is dropped when nothing comes on it for so long.
 */
export function send(endpoint: Endpoint, call: Call, silenceMs?: number): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let head: IncomingMessage | undefined;
  let connected = false;
  const request = (endpoint.secure ? https : http).request(
    {
      ...endpoint.options,
      method: call.method,
      path: endpoint.prefix + call.path,
      headers: {
        ...(endpoint.options.headers as Record<string, string>),
        // A length even of nothing: without it the body would be chunked.
        ...(call.method === "POST" && { "content-length": Buffer.byteLength(call.json ?? "") }),
        ...(call.json !== undefined && { "content-type": "application/json" }),
      },
      // A kept connection may be one that the daemon is just closing.
      agent: false,
      ...(call.signal && { signal: call.signal }),
    },
    (response) => {
      head = response;
      resolve(response);
    },
  );
  request.on("socket", (socket) => {
    socket.once(endpoint.secure ? "secureConnect" : "connect", () => {
      connected = true;
    });
  });
  request.on("error", (error) => {
    reject(endpoint.secure && !connected ? asHandshakeError(endpoint, error) : error);
  });
  if (silenceMs !== undefined) {
    request.setTimeout(silenceMs, () => {
      const message = `Nothing came from the daemon at ${endpoint.name} for ${silenceMs} ms.`;
      // Once there is an answer, whoever reads it is told, and no longer whoever asked.
      (head ?? request).destroy(new ClientError(message, { code: "timeout" }));
    });
  }
  request.end(call.json);
  return promise;
}

/** Throws what the daemon refuses with, and leaves an answer that is none of its own unread. */
export async function refuseUnlessOk(
  endpoint: Endpoint,
  call: Call,
  response: IncomingMessage,
): Promise<void> {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return;
  if (status < 400) {
    response.destroy();
    throw new ClientError(`${endpoint.name} answered ${call.method} ${call.path} with ${status}.`, {
      code: "bad_answer",
    });
  }
  const refusal = parseRefusal((await readText(response, MAX_REFUSAL)) ?? "");
  if (refusal) throw refusal;
  if (status === 401 || status === 403) {
    const why = status === 401 ? "the token is wrong or missing" : "it does not serve this client";
    throw new ClientError(
      `${endpoint.name} refuses ${call.method} ${call.path} (${status}): ${why}.`,
      { code: "unauthorized" },
    );
  }
  if (status === 404 || status === 405) {
    // A daemon answers routes that it does not have in plain text.
    throw new ClientError(
      `The daemon at ${endpoint.name} has no ${call.method} ${call.path} (${status}); it may be older than this client.`,
      { code: "unsupported" },
    );
  }
  throw new ProtocolError(ErrorCode.internal, `daemon reported ${status}`);
}

function parseRefusal(text: string): ProtocolError | undefined {
  try {
    const { code, message } = parseBody(errorBodySchema, JSON.parse(text));
    return code === "" ? undefined : new ProtocolError(code, message);
  } catch {
    return undefined;
  }
}

/** The body; undefined when it is longer than that. */
async function readText(
  response: IncomingMessage,
  maxCharacters: number,
): Promise<string | undefined> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk;
    // Leaving the loop destroys the response.
    if (text.length > maxCharacters) return undefined;
  }
  return text;
}

function abortedError(call: Pick<Call, "method" | "path">, signal: AbortSignal): ClientError {
  return new ClientError(`${call.method} ${call.path} was aborted.`, {
    code: "aborted",
    cause: signal.reason,
  });
}

/** What failed before a connection was a secure one; nothing was sent on it. */
function asHandshakeError(endpoint: Endpoint, error: NodeJS.ErrnoException): Error {
  const { code, syscall } = error;
  if (code === undefined || code === "ABORT_ERR" || isUnreachable(syscall)) return error;
  const message = `${endpoint.name} cannot be called safely (${code}): its certificate is not to be trusted here, or it speaks no TLS.`;
  return new ClientError(message, { code: "insecure", cause: error });
}

function isUnreachable(syscall: string | undefined): boolean {
  return syscall === "connect" || syscall === "getaddrinfo";
}

/** A failure of the connection, which has a code of Node's, as a {@link ClientError}; anything else as it is. */
export function asConnectionError(endpoint: Endpoint, error: unknown): Error {
  if (error instanceof ClientError || error instanceof ProtocolError) return error;
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  // A host with several addresses fails with one error for each of them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, syscall } = first as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (isUnreachable(syscall)) {
    const message = `No dcode daemon listens at ${endpoint.name} (${code}); start one with "dcode serve".`;
    return new ClientError(message, { code: "unreachable", cause: error });
  }
  const message = `The connection to the daemon at ${endpoint.name} broke (${code}).`;
  return new ClientError(message, { code: "closed", cause: error });
}
