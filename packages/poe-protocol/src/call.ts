import { PoeProtocolError } from "./errors.ts";

/** One call to Poe, and what keeps it within bounds. */
export type Call = {
  /** Names the call in messages: `Poe upload …`. */
  what: string;
  url: URL;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Taken out of whatever Poe says before it gets into a message. */
  secret: string;
};

/** Longest answer that is read, in bytes. Ours; Poe's are a few hundred, settings apart. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Of Poe's own words in a message. */
const MAX_QUOTED_CHARACTERS = 500;

/**
 * Makes a call and reads its answer within one deadline.
 *
 * @param read - Gets the answer's text as it arrives, 200 only. Need not read it to its end.
 * @throws PoeProtocolError `unreachable`, `timeout`, `refused`, and what `read` throws
 * @throws the signal's reason, when it is aborted
 */
export async function callPoe<Answer>(
  call: Call,
  read: (answer: AsyncIterable<string>) => Promise<Answer>,
): Promise<Answer> {
  const { what, url, headers = {}, timeoutMs, signal, secret } = call;
  signal?.throwIfAborted();
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  const stop = () => controller.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      // To another host than this one the key does not go.
      redirect: "manual",
      signal: controller.signal,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    const answer = readAnswer(response);
    if (response.status === 200) return await read(answer);
    const said = quote(await collect(answer).catch(() => ""), secret);
    throw new PoeProtocolError(`Poe ${what} was refused with ${response.status}: ${said}`, {
      code: "refused",
      status: response.status,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof PoeProtocolError) throw error;
    throw isLate ? late(what, timeoutMs) : unreachable(what, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    // Frees the socket where the answer was not read to its end.
    controller.abort();
  }
}

/** All of an answer. */
export async function collect(answer: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const part of answer) text += part;
  return text;
}

/** Poe's words for a message: without the key, on one line, at most 500 characters. */
export function quote(text: string, secret: string): string {
  let quoted = text;
  const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  for (const spelling of spellings) {
    quoted = quoted.replaceAll(spelling, "(key)");
  }
  quoted = quoted.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (quoted === "") return "no reason given";
  const characters = Array.from(quoted.slice(0, 2 * MAX_QUOTED_CHARACTERS));
  const start = characters.slice(0, MAX_QUOTED_CHARACTERS).join("");
  return start === quoted ? quoted : `${start}…`;
}

async function* readAnswer(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return;
    yield decoder.decode(chunk, { stream: true });
  }
}

function late(what: string, timeoutMs: number): PoeProtocolError {
  return new PoeProtocolError(`Poe ${what} had no whole answer within ${timeoutMs} ms`, {
    code: "timeout",
  });
}

/** Only the name of the cause: errors of `fetch` repeat URLs and headers, which hold the key. */
function unreachable(what: string, error: unknown): PoeProtocolError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  const why = typeof code === "string" ? ` (${code})` : "";
  return new PoeProtocolError(`Poe ${what} got no whole answer${why}`, { code: "unreachable" });
}
