import {
  type Conn,
  type PermissionOutcome,
  type PermissionRequestResult,
  RpcError,
  type SessionUpdate,
  WireError,
} from "@acp-kit/acp-wire";
import type { Surroundings } from "./open-request.ts";
import { commitFault, type FaultyProcess } from "./process-faults.ts";
import { hasWord } from "./prompt-text.ts";
import type { Recorder } from "./recorder.ts";
import type { AgentTraits, AskStep, Meta, WhenStep } from "./script.ts";
import { currentMode, currentModel, noteUpdate, type SessionData } from "./session.ts";

/** What all requests of an agent share. */
export interface AgentSetting {
  readonly conn: Conn;
  readonly traits: AgentTraits;
  readonly speed: number;
  readonly recorder: Recorder;
  readonly process: FaultyProcess;
}

/** What the steps of a request that belongs to no session act on. The parser keeps to it. */
export function surroundingsWithoutSession(
  { speed, recorder, process: faulty }: AgentSetting,
  signal: AbortSignal,
): Surroundings {
  const noSession = () => Promise.reject(new Error("There is no session yet."));
  return {
    signal,
    speed,
    words: () => ({}),
    update: noSession,
    ask: noSession,
    holds: ({ says, turn, start, model, mode }) =>
      [says, turn, model, mode].every((condition) => condition === undefined) &&
      (start === undefined || start === recorder.start),
    commit: (fault) => commitFault(fault, faulty, "", signal),
  };
}

/** @param prompt - The text that the steps answer to; `""` where they answer to none. */
export function surroundingsOf(
  session: SessionData,
  prompt: string,
  setting: AgentSetting,
  signal: AbortSignal,
): Surroundings {
  const { conn, traits, speed, recorder } = setting;
  const turn = session.state.prompts;
  const { sessionId, cwd } = session.info;
  return {
    signal,
    speed,
    words: () => ({
      prompt,
      turn: String(turn),
      model: currentModel(session, traits),
      mode: currentMode(session, traits),
      session: sessionId,
      cwd,
      pid: String(process.pid),
    }),
    update(update: SessionUpdate, meta?: Meta) {
      noteUpdate(session, update);
      const params = { sessionId, update, ...(meta && { _meta: meta }) };
      return conn.notify("session/update", params);
    },
    ask: (step) => ask(sessionId, step, setting, signal),
    holds: (when: WhenStep) =>
      (when.says === undefined || hasWord(prompt, when.says)) &&
      (when.turn === undefined || when.turn === turn) &&
      (when.start === undefined || when.start === recorder.start) &&
      (when.model === undefined || when.model === currentModel(session, traits)) &&
      (when.mode === undefined || when.mode === currentMode(session, traits)),
    commit: (fault) => commitFault(fault, setting.process, sessionId, signal),
  };
}

async function ask(
  sessionId: string,
  { toolCall, options, withdrawAfterMs }: AskStep,
  { conn, recorder, speed }: AgentSetting,
  signal: AbortSignal,
): Promise<string> {
  const withdraw =
    withdrawAfterMs === undefined ? undefined : AbortSignal.timeout(withdrawAfterMs / speed);
  const answered = conn
    .request<Partial<PermissionRequestResult> | null>(
      "session/request_permission",
      { sessionId, toolCall, options },
      { signal: withdraw },
    )
    .then(
      (result) => {
        const outcome = result?.outcome;
        recorder.note({
          kind: "answered",
          session: sessionId,
          toolCallId: toolCall.toolCallId,
          outcome,
        });
        return keyOf(outcome);
      },
      (error) => {
        if (error instanceof WireError && error.code === "aborted") return "withdrawn";
        if (error instanceof RpcError) return "error";
        throw error;
      },
    );
  // On a cancel the agent does not wait for the client's answer, which comes all the same.
  return Promise.race([answered, rejectOnAbort(signal)]);
}

/** An answer that ACP does not know is no answer. */
function keyOf(outcome: PermissionOutcome | undefined): string {
  return outcome?.outcome === "selected" ? String(outcome.optionId) : "cancelled";
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
