import type { RequestOptions } from "./conn-options.ts";
import { ErrorCode, RpcError, WireError } from "./errors.ts";
import type { IncomingMessage } from "./message.ts";

/** A request of ours that waits for its answer. */
export interface PendingRequest {
  readonly params: unknown;
  resolve(result: unknown): void;
  reject(error: Error): void;
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
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
      };
      const giveUp = (error: WireError) => {
        settle();
        try {
          this.#send({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } });
        } catch {
          // A peer that cannot be told has nothing left to cancel.
        }
        reject(error);
      };
      const onAbort = () => giveUp(aborted(method, true));
      this.#pending.set(id, {
        params,
        resolve: (result) => {
          settle();
          try {
            onResult?.(result);
            resolve(result as T);
          } catch (error) {
            reject(error);
          }
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      try {
        this.#send({ jsonrpc: "2.0", id, method, params });
      } catch (error) {
        settle();
        reject(error);
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      if (timeoutMs === undefined) return;
      timer = setTimeout(() => {
        giveUp(
          new WireError(`No answer to ${method} within ${timeoutMs} ms.`, { code: "timeout" }),
        );
      }, timeoutMs);
    });
  }

  /** The request that an answer belongs to; `late` when it was given up, `stray` when never made. */
  find(answer: IncomingMessage): PendingRequest | "late" | "stray" {
    const id = toId(answer.id);
    return this.#pending.get(id) ?? (id >= 1 && id < this.#nextId ? "late" : "stray");
  }

  /** Fails what waits, and every later request. */
  fail(error: WireError): void {
    this.#ended ??= error;
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }
}

/** Settles a request with what the peer answered. */
export function settle(pending: PendingRequest, { result, error }: IncomingMessage): void {
  // Some peers send `error: null` beside a result.
  if (error === undefined || error === null) pending.resolve(result ?? null);
  else pending.reject(toRpcError(error));
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

function asNotSent({ message, code, cause, phase, exit, chatText }: WireError): WireError {
  return new WireError(message, { code, cause, phase, exit, chatText, sent: false });
}
