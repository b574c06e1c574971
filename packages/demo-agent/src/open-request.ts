import { RpcError } from "@acp-kit/acp-wire";
import { runSteps, type Stage } from "./run-steps.ts";
import type { Step } from "./script.ts";

/** What the steps of a request act on, except the request itself. */
export type Surroundings = Omit<Stage, "answer" | "fail">;

export interface OpenRequest {
  readonly steps: readonly Step[];
  readonly surroundings: Surroundings;
  /** What a well-behaved agent answers, made when it is answered. */
  readonly answer: () => Record<string, unknown>;
  /** Resolves when the answer has left: what steps behind it send stands behind it. */
  readonly answered: Promise<void>;
  /** What went wrong in steps that ran behind the answer. */
  readonly onLateError: (error: unknown) => void;
}

/**
 * Runs the steps of a request and resolves with its answer, which may be long before they end.
 *
 * @throws RpcError of a `fail` step
 * @throws whatever stopped the steps before there was an answer, such as the reason of an abort
 */
export function runRequest(request: OpenRequest): Promise<Record<string, unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  let answered = false;
  const stage: Stage = {
    ...request.surroundings,
    answer({ stopReason, result }) {
      answered = true;
      const reason = stopReason === undefined ? {} : { stopReason };
      resolve({ ...request.answer(), ...reason, ...result });
      return request.answered;
    },
    fail({ code, message, data }) {
      answered = true;
      reject(new RpcError(code, message, data));
      return request.answered;
    },
  };
  runSteps(request.steps, stage).then(
    () => {
      if (!answered) resolve(request.answer());
    },
    (error) => {
      if (answered) request.onLateError(error);
      else reject(error);
    },
  );
  return promise;
}
