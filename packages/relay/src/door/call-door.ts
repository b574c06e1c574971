import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { DoorReply } from "./door-contract.ts";

export type DoorAddress = {
  /** Asked in this order. */
  readonly sockets: readonly string[];
  readonly token: string;
};

export type DoorCallOptions = {
  /** How long the relay may be away, while it is started again for example, in milliseconds. Default 60,000. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
};

const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

/** How long the relay may take for an answer, in milliseconds: a file is read whole and may have to be uploaded. */
const ANSWER_MS = 300_000;

/** Longest answer that is read, in characters. */
const MAX_ANSWER_CHARS = 256 * 1024;

type Answer = { readonly status: number; readonly body: string };

/**
 * Has the relay run a tool. While nobody listens it is tried again; a call that may have reached the relay is not sent
 * twice. Never rejects but for the signal: what went wrong is told to the agent.
 */
export async function callDoor(
  { sockets, token }: DoorAddress,
  tool: string,
  input: unknown,
  { patienceMs = PATIENCE_MS, signal }: DoorCallOptions = {},
): Promise<DoorReply> {
  const until = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    for (const socket of sockets) {
      const answer = await post(socket, `/${tool}`, token, JSON.stringify(input), signal);
      if (answer === "unreachable") continue;
      return typeof answer === "string" ? failure(answer) : readReply(answer);
    }
    signal?.throwIfAborted();
    if (performance.now() + pauseMs > until) return failure("The relay is not there.");
    await setTimeout(pauseMs, undefined, signal && { signal });
  }
}

function readReply({ status, body }: Answer): DoorReply {
  if (status === 401) return failure("This session is over: its tools work no more.");
  if (status === 404) return failure("The relay does not offer this tool.");
  try {
    const { text, isError } = JSON.parse(body) as Partial<DoorReply>;
    if (status === 200 && typeof text === "string") return { text, isError: isError === true };
  } catch {
    // Told below.
  }
  return failure(`The relay answered with status ${status}.`);
}

/** The answer, `unreachable` when nobody can have got the call, or a sentence. */
function post(
  socketPath: string,
  path: string,
  token: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<Answer | "unreachable" | (string & {})> {
  const { promise, resolve } = Promise.withResolvers<Answer | string>();
  let isConnected = false;
  const call = request({
    socketPath,
    path,
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
    timeout: ANSWER_MS,
    ...(signal && { signal }),
  });
  call.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
  call.on("timeout", () => call.destroy());
  call.on("error", () =>
    resolve(
      isConnected
        ? "The relay went away before it answered; it may or may not have done it."
        : "unreachable",
    ),
  );
  call.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text = (text + chunk).slice(0, MAX_ANSWER_CHARS);
    });
    response.on("error", () => call.destroy());
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
  });
  call.end(body);
  return promise;
}

function failure(text: string): DoorReply {
  return { text, isError: true };
}
