import type { FailurePhase, TurnOutcome } from "./events.ts";
import { asFields, asText } from "./fields.ts";
import { findPlainSentence } from "./plain-sentence.ts";

/** JSON-RPC code by which an agent says that somebody has to log in first. */
export const AUTH_REQUIRED = -32000;

export function isAuthRequired(error: unknown): boolean {
  return codeOf(error) === AUTH_REQUIRED;
}

/**
 * How a turn ends by an error: what people may read of it. Paths, output of the process and the agent's own
 * error texts stay with the operator.
 */
export function parseFailure(error: unknown, phase: FailurePhase): TurnOutcome {
  const code = codeOf(error);
  if (code === "agent_exited") {
    const exit = asFields(asFields(error)?.["exit"]);
    const status = exit?.["code"];
    const signal = exit?.["signal"];
    // What the process itself was doing: opening a session may have to start it first.
    const isStart = exit?.["phase"] === "spawn" || exit?.["phase"] === "initialize";
    return {
      kind: "agent-exited",
      phase: isStart ? "start" : phase,
      code: typeof status === "number" ? status : null,
      signal: typeof signal === "string" ? signal : null,
    };
  }
  if (code === AUTH_REQUIRED) {
    const message = "The agent needs somebody to log in first.";
    return { kind: "failed", phase, code: "auth-required", message };
  }
  if (typeof code === "number") {
    // What an agent says about a prompt may be a provider's answer; why it opens no session is its own sentence.
    const why = phase === "session" ? findPlainSentence((error as Error).message) : undefined;
    const message =
      why === undefined
        ? `The agent answered with an error (code ${code}).`
        : `The agent opened no session: ${why}`;
    return { kind: "failed", phase, code: "agent-error", message };
  }
  return {
    kind: "failed",
    phase,
    code: typeof code === "string" ? code : "internal",
    message: asText(asFields(error)?.["chatText"]) ?? "Something in the relay failed.",
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
