import type { WireError } from "./errors.ts";
import type { MessageId } from "./message.ts";

export type Awaitable<T> = T | PromiseLike<T>;

export interface RequestContext {
  readonly id: MessageId;
  readonly method: string;
  /** Aborted when the peer cancels the request, and when the connection ends. */
  readonly signal: AbortSignal;
  /** Resolves when the answer was queued: what is sent from then on leaves behind it. */
  readonly answered: Promise<void>;
}

export interface NotifyContext {
  readonly method: string;
}

export type RequestHandler = (params: unknown, context: RequestContext) => Awaitable<unknown>;
export type NotificationHandler = (params: unknown, context: NotifyContext) => Awaitable<void>;

export interface ConnOptions {
  /** Longest accepted line in bytes. Default 32 MiB. A longer one is skipped and reported. */
  maxLineBytes?: number | undefined;
  /** Most that may wait for a peer that does not read, in bytes. Default 64 MiB. */
  maxQueuedBytes?: number | undefined;
  /** Most messages that may wait for unfinished handlers before reading pauses. Default 10,000. */
  maxWaitingMessages?: number | undefined;
  /** How long one write may wait for the peer. Default 60,000; 0 waits for ever. */
  writeTimeoutMs?: number | undefined;
  /** How long handlers may take to answer after the end of the input. Default 5,000. */
  drainMs?: number | undefined;
  /**
   * What to do about input that is no message: only tell `onNoise` (right towards an agent, whose
   * banners deserve no answer), or also answer with a JSON-RPC error, as an agent does. A batch is
   * always answered, with one error. Default `report`.
   */
  malformed?: "report" | "answer" | undefined;
  /** A line that is no message, as text: a banner, a log line, a batch. */
  onNoise?: ((line: string) => void) | undefined;
  /** A line above `maxLineBytes`; `start` is its first 256 bytes as text. */
  onOversize?: ((start: string) => void) | undefined;
  /** No more input will come. Called before the handlers that still run are waited for. */
  onInputEnd?: (() => void) | undefined;
  /** The output failed (`closed`, `stalled`, `overflow`): nothing can be sent any more. */
  onBroken?: ((error: WireError) => void) | undefined;
  /** A handler threw something other than an RpcError; the peer is told only `Internal error`. */
  onHandlerError?: ((error: unknown, method: string) => void) | undefined;
  /** Every message both ways, as an object: in wire order, before it is handled. */
  trace?: ((direction: "in" | "out", message: object) => void) | undefined;
}

export interface RequestOptions {
  /** Aborting tells the peer with `$/cancel_request` and rejects at once with WireError `aborted`. */
  signal?: AbortSignal | undefined;
  /** After this the peer is told to cancel and the call rejects with WireError `timeout`. */
  timeoutMs?: number | undefined;
  /** Called with the result in wire order, synchronously, before anything behind it is handled. */
  onResult?: ((result: unknown) => void) | undefined;
}

/** What a connection dropped, and why. */
export interface ConnCounters {
  noise: number;
  oversize: number;
  /** Answers to requests that had been given up. */
  lateAnswers: number;
  /** Answers and errors that belong to no request of ours, or carry no id. */
  strayAnswers: number;
  /** Requests refused because their id was still in use. */
  duplicateIds: number;
}
