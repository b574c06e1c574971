import type { RequestContext } from "./conn-options.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import type { MessageId } from "./message.ts";

/** What stands in an answer beside the id. */
export type Answer =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } };

/** A request of the peer, from its arrival to its answer. */
export class IncomingRequest implements RequestContext {
  readonly id: MessageId;
  readonly method: string;
  /** The next two are made when somebody asks for them; most never are. */
  #controller: AbortController | undefined;
  #answered: PromiseWithResolvers<void> | undefined;
  aborted = false;
  #isAnswered = false;

  constructor(id: MessageId, method: string) {
    this.id = id;
    this.method = method;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  get answered(): Promise<void> {
    this.#answered ??= Promise.withResolvers();
    if (this.#isAnswered) this.#answered.resolve();
    return this.#answered.promise;
  }

  markAnswered(): void {
    this.#isAnswered = true;
    this.#answered?.resolve();
  }

  abort(): void {
    this.aborted = true;
    this.#controller?.abort();
  }

  /**
   * What to answer when the handler threw. Undefined when it was no error for the peer: what went
   * wrong in here is not the peer's business, for the text may hold paths or secrets.
   */
  answerFor(error: unknown): Answer | undefined {
    if (error instanceof RpcError) return { error: error.toJSON() };
    const wasAborted = this.aborted && (error as Error | undefined)?.name === "AbortError";
    return wasAborted ? CANCELLED : undefined;
  }
}

export const CANCELLED: Answer = {
  error: { code: ErrorCode.requestCancelled, message: "Request cancelled" },
};
