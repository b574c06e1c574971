import type { RequestOptions } from "./conn-options.ts";
import { asNotSent, ErrorCode, RpcError, WireError } from "./errors.ts";
import type { IncomingMessage } from "./message.ts";

/** A request of ours that waits for its answer. */
export class PendingRequest {
  readonly params: unknown;
  readonly #onResult: RequestOptions["onResult"];
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: unknown) => void;
  /** Undoes what was set up to give the request up. */
  release: (() => void) | undefined;

  constructor(
    params: unknown,
    onResult: RequestOptions["onResult"],
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.params = params;
    this.#onResult = onResult;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Settles the request with what the peer answered. */
  settle({ result, error }: IncomingMessage): void {
    // Some peers send `error: null` beside a result.
    if (error !== undefined && error !== null) {
      this.fail(toRpcError(error));
      return;
    }
    this.release?.();
    try {
      this.#onResult?.(result ?? null);
      this.#resolve(result ?? null);
    } catch (cause) {
      this.#reject(cause);
    }
  }

  fail(error: unknown): void {
    this.release?.();
    this.#reject(error);
  }
}

/** The requests of this side: their ids, and who waits for which answer. */
export class OutgoingRequests {
  readonly #send: (message: object) => void;
  readonly #pending = new Map<number, PendingRequest>();
  /** Ids count from 1, so that no peer takes the first one for "no id". */
  #nextId = 1;
  /** Set when no answer will come any more. */
  #ended: WireError | undefined;

  constructor(send: (message: object) => void) {
    this.#send = send;
  }

  request<T>(method: string, params: unknown, options: RequestOptions): Promise<T> {
    const { signal, timeoutMs, onResult } = options;
    if (signal?.aborted) return Promise.reject(aborted(method, false));
    if (this.#ended !== undefined) return Promise.reject(asNotSent(this.#ended));
    return new Promise<T>((resolve, reject) => {
      const id = this.#nextId++;
      this.#send({ jsonrpc: "2.0", id, method, params });
      const pending = new PendingRequest(
        params,
        onResult,
        resolve as (result: unknown) => void,
        reject,
      );
      this.#pending.set(id, pending);
      if (signal === undefined && timeoutMs === undefined) return;
      const onAbort = () => this.#giveUp(id, aborted(method, true));
      signal?.addEventListener("abort", onAbort, { once: true });
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => {
              const message = `No answer to ${method} within ${timeoutMs} ms.`;
              this.#giveUp(id, new WireError(message, { code: "timeout" }));
            }, timeoutMs);
      pending.release = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
    });
  }

  /** The request that an answer settles, taken out; `late` when given up, `stray` when never made. */
  take(answer: IncomingMessage): PendingRequest | "late" | "stray" {
    const id = toId(answer.id);
    const pending = this.#pending.get(id);
    if (pending === undefined) return id >= 1 && id < this.#nextId ? "late" : "stray";
    this.#pending.delete(id);
    return pending;
  }

  /** Fails what waits, and every later request. */
  fail(error: WireError): void {
    this.#ended ??= error;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of pending) request.fail(error);
  }

  #giveUp(id: number, error: WireError): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    try {
      this.#send({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
    } catch {
      // A peer that cannot be told has nothing left to cancel.
    }
    pending?.fail(error);
  }
}

function toRpcError(error: unknown): RpcError {
  const shape = typeof error === "object" && error !== null ? error : { data: error };
  const { code, message, data } = shape as { code?: unknown; message?: unknown; data?: unknown };
  return new RpcError(
    typeof code === "number" ? code : ErrorCode.internalError,
    typeof message === "string" ? message : "The peer answered with an error of no known shape",
    data,
  );
}

/** Some peers echo a numeric id as a string. */
function toId(id: unknown): number {
  if (typeof id === "number") return id;
  return typeof id === "string" && /^[0-9]{1,15}$/.test(id) ? Number(id) : Number.NaN;
}

function aborted(method: string, sent: boolean): WireError {
  return new WireError(`${method} was aborted by its caller.`, { code: "aborted", sent });
}
