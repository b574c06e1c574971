import type { FailurePhase, TurnOutcome } from "./events.ts";
import { asFields, asText } from "./fields.ts";

/** JSON-RPC code by which an agent says that somebody has to log in first. */
const AUTH_REQUIRED = -32000;

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
  if (typeof code === "number") {
    return {
      kind: "failed",
      phase,
      code: "agent-error",
      message:
        code === AUTH_REQUIRED
          ? "The agent needs somebody to log in first."
          : `The agent answered with an error (code ${code}).`,
    };
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
