import { type DcodeEvent, ErrorCode, ProtocolError, parseEvent } from "@acp-kit/dcode-protocol";
import type { Endpoint } from "./address.ts";
import { nextDelayMs, waited } from "./backoff.ts";
import { ClientError, type ClientErrorCode } from "./client-error.ts";
import { asConnectionError, type Call, refuseUnlessOk, send } from "./exchange.ts";
import { sessionPath } from "./paths.ts";
import { type SseFrame, SseReader } from "./sse-reader.ts";

export type RetryOptions = {
  /** First wait, in milliseconds; each further one is twice as long. Default 200. */
  readonly firstMs?: number;
  /** Longest wait. Default 5,000. */
  readonly maxMs?: number;
  /** Give up when nothing has come from the daemon for so long. Default 300,000; Infinity for never. */
  readonly forMs?: number;
};

export type EventStreamOptions = {
  /** The first event that is wanted. Default 1, which a session refuses that has dropped its first ones. */
  readonly from?: number;
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  readonly retry?: RetryOptions;
  /** Told why the stream was cut, and how long it waits now. */
  readonly onDisconnect?: (cause: Error, delayMs: number) => void;
  /**
   * Told about an event that cannot be read and is left out. Without it such an event ends the
   * stream; so does, as a gap, one whose frame does not say its seq.
   */
  readonly onBadEvent?: (error: ClientError) => void;
  /** Drop a connection on which not even a ping came for so long. Default 60,000; the daemon pings every 20 s. */
  readonly silenceMs?: number;
  /** Longest event. Default 128 Mi. */
  readonly maxCharacters?: number;
};

const DEFAULT_RETRY = { firstMs: 200, maxMs: 5_000, forMs: 300_000 };
const DEFAULT_SILENCE_MS = 60_000;
const DEFAULT_MAX_CHARACTERS = 128 * 1024 * 1024;

/**
 * The events of a session from `from` on, each once and in order, across any number of disconnects.
 *
 * Nothing in the protocol says that a session has ended: the stream goes on until the signal, `break`,
 * or an error.
 *
 * @throws ProtocolError `session_not_found` when it was deleted or the daemon restarted,
 *   `events_expired` when it was away for too long, or another refusal.
 * @throws ClientError `gap`, `bad_event`, `insecure`, `unauthorized`; or the last failure when it gives up.
 */
export async function* followEvents(
  endpoint: Endpoint,
  session: string,
  options: EventStreamOptions,
): AsyncGenerator<DcodeEvent, void, undefined> {
  const { signal, onDisconnect } = options;
  const { firstMs, maxMs, forMs } = { ...DEFAULT_RETRY, ...options.retry };
  const position = { next: options.from ?? 1 };
  if (!Number.isSafeInteger(position.next) || position.next < 0) {
    throw new ProtocolError(ErrorCode.invalidInput, `${position.next} is no position`);
  }
  /** Connections in a row that brought no event. */
  let failures = 0;
  /** Since when nothing came at all, while we are trying. */
  let silentSince: number | undefined;
  /** The event that was missing on the connection before. */
  let missing: number | undefined;
  while (!signal?.aborted) {
    const start = position.next;
    let cause: Error;
    try {
      for await (const frames of connection(endpoint, session, start, options)) {
        silentSince = undefined;
        for (const frame of frames) {
          const event = take(frame, position, options.onBadEvent);
          if (event) yield event;
        }
      }
      cause = new ClientError(`The daemon at ${endpoint.name} ended the event stream.`, {
        code: "closed",
      });
    } catch (error) {
      if (signal?.aborted) return;
      cause = asConnectionError(endpoint, error);
    }
    if (isFinal(cause)) throw cause;
    if (cause instanceof ClientError && cause.code === "gap") {
      if (missing === position.next) throw cause;
      missing = position.next;
    }
    silentSince ??= performance.now();
    failures = position.next > start ? 0 : failures + 1;
    // A connection that brought events may be followed at once: the daemon drops readers that are slow.
    const delayMs = failures === 0 ? 0 : nextDelayMs(failures - 1, firstMs, maxMs);
    if (performance.now() + delayMs - silentSince > forMs) throw cause;
    onDisconnect?.(cause, delayMs);
    if (!(await waited(delayMs, signal))) return;
  }
}

/** One connection: what each chunk completes, which may be nothing. */
async function* connection(
  endpoint: Endpoint,
  session: string,
  from: number,
  options: EventStreamOptions,
): AsyncGenerator<SseFrame[], void, undefined> {
  const { signal, silenceMs = DEFAULT_SILENCE_MS } = options;
  const call: Call = {
    method: "GET",
    path: `${sessionPath(session, "events")}?from=${from}`,
    signal,
  };
  const response = await send(endpoint, call, silenceMs);
  await refuseUnlessOk(endpoint, call, response);
  if (!response.headers["content-type"]?.startsWith("text/event-stream")) {
    response.destroy();
    throw new ClientError(`${endpoint.name} answered with no event stream.`, {
      code: "bad_answer",
    });
  }
  const reader = new SseReader(options.maxCharacters ?? DEFAULT_MAX_CHARACTERS);
  response.setEncoding("utf8");
  // Leaving the loop, in whichever way, destroys the response and its socket.
  for await (const chunk of response as AsyncIterable<string>) yield reader.push(chunk);
}

/** The frame's event when it is the next one; undefined when it was seen before, or left out. */
function take(
  frame: SseFrame,
  position: { next: number },
  onBadEvent: EventStreamOptions["onBadEvent"],
): DcodeEvent | undefined {
  const read = parseFrame(frame);
  const { seq } = read;
  if (read instanceof ClientError) {
    if (!onBadEvent) throw read;
    if (seq === undefined || seq === position.next) onBadEvent(read);
  }
  if (seq === undefined || seq < position.next) return undefined;
  if (seq > position.next) {
    throw new ClientError(`The daemon went on with event ${seq} where ${position.next} was due.`, {
      code: "gap",
      seq: position.next,
    });
  }
  position.next += 1;
  return read instanceof ClientError ? undefined : read;
}

function parseFrame({ id, data }: SseFrame): DcodeEvent | ClientError {
  try {
    return parseEvent(data);
  } catch (cause) {
    const seq = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
    const message = `Event ${seq ?? "of unknown seq"} cannot be read: ${(cause as Error).message}`;
    return new ClientError(message, { code: "bad_event", cause, seq });
  }
}

const finalCodes: ReadonlySet<ClientErrorCode> = new Set(["bad_event", "insecure", "unauthorized"]);

/** Whether trying again is no use. A refusal without a code of its own may be anything in between. */
function isFinal(error: Error): boolean {
  if (error instanceof ProtocolError) return error.code !== ErrorCode.internal;
  return !(error instanceof ClientError) || finalCodes.has(error.code);
}
