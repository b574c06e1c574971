import type { IncomingHttpHeaders } from "node:http";
import { checkBearer, UNAUTHORIZED } from "./access.ts";
import { STREAM_HEADERS } from "./headers.ts";
import { createJsonAnswer, type HttpAnswer } from "./http-answer.ts";
import { MAX_REQUEST_BYTES } from "./limits.ts";
import { type PoeRequest, parsePoeRequest, type QueryRequest } from "./request.ts";
import { createSettings, type SettingsOptions } from "./settings.ts";
import { createPoeWriter } from "./writer.ts";

/** A request of which nothing was understood: no valid key (401), or too large a body. */
export type RefusedRequest =
  | { type: "unauthorized"; refusal: HttpAnswer }
  | { type: "too-large"; refusal: HttpAnswer };

type WebRequest = { readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> | null };

/** A web `Request`, or Node's `IncomingMessage`. */
export type IncomingRequest =
  | WebRequest
  | (AsyncIterable<Uint8Array> & { readonly headers: IncomingHttpHeaders });

/**
 * Reads a request in the order that costs strangers nothing: the key, then the body up to its cap,
 * then its meaning. Whatever gets no further holds the HTTP answer in `refusal`, as those of
 * `parsePoeRequest` do.
 *
 * @param options.keys - The bot's access keys; several while one is being rotated.
 * @param options.maxBytes - Default {@link MAX_REQUEST_BYTES}. A longer body is refused in words
 * that the person can read.
 * @throws the body's own error, when the client leaves inside it: there is nobody to answer
 */
export async function readPoeRequest(
  incoming: IncomingRequest,
  { keys, maxBytes = MAX_REQUEST_BYTES }: { keys: readonly string[]; maxBytes?: number },
): Promise<PoeRequest | RefusedRequest> {
  const { authorization, contentLength, body } = readHead(incoming);
  if (!checkBearer(authorization, keys)) return { type: "unauthorized", refusal: UNAUTHORIZED };
  // What says how long it is need not be read to be refused.
  if (Number(contentLength) > maxBytes) return tooLarge(maxBytes);
  const text = await readText(body, maxBytes);
  return text === undefined ? tooLarge(maxBytes) : parsePoeRequest(text);
}

/**
 * The answer to everything but a query: a refusal, the settings, or `{}` for a report.
 *
 * @throws PoeProtocolError `bad-settings`, as `createSettings`
 */
export function formatAnswer(
  request: Exclude<PoeRequest, QueryRequest> | RefusedRequest,
  settings?: SettingsOptions,
): HttpAnswer {
  if ("refusal" in request) return request.refusal;
  return createJsonAnswer(request.type === "settings" ? createSettings(settings) : {});
}

function readHead(incoming: IncomingRequest) {
  if (isWebRequest(incoming)) {
    const { headers, body } = incoming;
    return {
      authorization: headers.get("authorization"),
      contentLength: headers.get("content-length"),
      body,
    };
  }
  const { authorization, "content-length": contentLength } = incoming.headers;
  return { authorization, contentLength, body: incoming };
}

function isWebRequest(incoming: IncomingRequest): incoming is WebRequest {
  return typeof incoming.headers.get === "function";
}

/** The body as text, or `undefined` as soon as it is longer than `maxBytes`. */
async function readText(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Not `for await`: leaving that early destroys the socket, and with it the answer.
  const iterator = body[Symbol.asyncIterator]();
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    bytes += next.value.length;
    if (bytes > maxBytes) {
      void discard(iterator);
      return undefined;
    }
    chunks.push(next.value);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Lets the rest of a body pass, so that the client gets to read the answer. */
async function discard(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while ((await iterator.next()).done !== true);
  } catch {
    // The client left in the middle of it.
  }
}

/** Poe shows any other status as a broken bot, so this one is 200 with a whole response. */
function tooLarge(maxBytes: number): RefusedRequest {
  const text = `This message and its attachments are too large: more than ${formatBytes(maxBytes)}.`;
  let body = "";
  const answer = createPoeWriter((frame) => {
    body += frame;
  }).meta();
  answer.text(text);
  answer.fail({ allow_retry: false, text, error_type: "user_message_too_long" });
  return { type: "too-large", refusal: { status: 200, headers: { ...STREAM_HEADERS }, body } };
}

function formatBytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes >= 1 ? `${Math.floor(mebibytes)} MiB` : `${bytes} bytes`;
}
