import type { FailurePhase, TurnOutcome } from "./events.ts";
import { asFields } from "./fields.ts";

/** JSON-RPC codes by which agents say that a session is not known to them. */
const sessionNotFoundCodes: ReadonlySet<number> = new Set([-32001, -32002]);

/** JSON-RPC code by which an agent says that somebody has to log in first. */
const AUTH_REQUIRED = -32000;

/** Our sentences for what can fail before the agent's own answer, by the `code` of the error. Fit for chat. */
const sentences: Readonly<Record<string, string>> = {
  spawn_failed: "The agent could not be started.",
  timeout: "The agent did not answer in time.",
  closed: "The connection to the agent is closed.",
  workspace: "The directory of this conversation cannot be used.",
};

/** True when an agent answered that it does not know the session: a new one is worth a try. */
export function isSessionNotFound(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === "number" && sessionNotFoundCodes.has(code);
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
    return {
      kind: "agent-exited",
      phase,
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
  const known = typeof code === "string" ? code : "internal";
  return { kind: "failed", phase, code: known, message: sentences[known] ?? "Something failed." };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
