import { type AgentExit, type AgentPhase, WireError } from "./errors.ts";

/** What a chat says about the moment in which the agent ended. */
const WHEN: Record<AgentPhase, string> = {
  spawn: "while it started",
  initialize: "while it started",
  session: "while it opened or changed a session",
  prompt: "while it worked on the answer",
  idle: "while it was idle",
};

/** The shell's codes for a program that is missing or cannot be run. */
const CANNOT_RUN = new Set([126, 127]);

/** The error of a call that failed because its agent ended. */
export function agentExited(
  exit: AgentExit,
  { name, phase, sent }: { name: string; phase: AgentPhase; sent: boolean },
): WireError {
  const how = describe(exit);
  const hint =
    phase === "initialize" && CANNOT_RUN.has(exit.code ?? 0)
      ? " Can it be run, and is it on PATH?"
      : "";
  return new WireError(`Agent ${JSON.stringify(name)} ended (${how}) in phase ${phase}.${hint}`, {
    code: "agent_exited",
    phase,
    exit,
    sent,
    chatText: `${SUBJECT[exit.cause]} ${WHEN[phase]} (${how}).`,
  });
}

const SUBJECT: Record<AgentExit["cause"], string> = {
  requested: "The agent was stopped",
  exited: "The agent ended by itself",
  crashed: "The agent stopped unexpectedly",
  unresponsive: "The agent stopped responding",
  spawn_failed: "The agent could not be started",
};

function describe({ code, signal }: AgentExit): string {
  if (signal !== null) return `signal ${signal}`;
  return code === null ? "no exit status" : `exit code ${code}`;
}
