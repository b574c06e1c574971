import type { RequestContext, RequestHandler } from "./conn-options.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import type { MessageId } from "./message.ts";

type Answer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/** A request of the peer, from its arrival to its answer. */
export class IncomingRequest implements RequestContext {
  readonly id: MessageId;
  readonly method: string;
  /** Made when a handler asks for it; most never do. */
  #controller: AbortController | undefined;
  #aborted = false;
  readonly #answered = Promise.withResolvers<void>();

  constructor(id: MessageId, method: string) {
    this.id = id;
    this.method = method;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  markAnswered(): void {
    this.#answered.resolve();
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  /** Runs the handler, in the caller's tick, and says what to answer. Never rejects. */
  async run(
    handler: RequestHandler,
    params: unknown,
    onError: ((error: unknown, method: string) => void) | undefined,
  ): Promise<Answer> {
    try {
      if (this.#aborted) return CANCELLED;
      return { result: (await handler(params, this)) ?? null };
    } catch (error) {
      if (error instanceof RpcError) return { error: error.toJSON() };
      if (this.#aborted && (error as Error | undefined)?.name === "AbortError") return CANCELLED;
      onError?.(error, this.method);
      // What went wrong in here is not the peer's business: the text may hold paths or secrets.
      return { error: { code: ErrorCode.internalError, message: "Internal error" } };
    }
  }
}

const CANCELLED: Answer = {
  error: { code: ErrorCode.requestCancelled, message: "Request cancelled" },
};
