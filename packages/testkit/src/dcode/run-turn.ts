import { setTimeout as delay, setImmediate as nextTick } from "node:timers/promises";
import {
  type ApprovalDecision,
  approvalGrants,
  type OpenString,
  type ToolCompleted,
  ZERO_TIME,
} from "@acp-kit/dcode-protocol";
import type { DcodeCall, DcodeScript, DcodeStep, DcodeTurn } from "./script.ts";

export type EndStep = Extract<DcodeStep, { kind: "end" }>;

/** What a turn may do to its session. */
export type TurnHost = {
  emit(type: string, payload: unknown): void;
  /** Emits what was steered since the last round. */
  takeSteers(): void;
  gate(name: string): Promise<void>;
  /** Whether nobody need be asked, and the asking. */
  ask(id: string, call: DcodeCall, signal: AbortSignal): Promise<ApprovalDecision>;
  /** Times as the daemon writes them. */
  at(): string;
  deadline(): string;
};

/**
 * Runs the steps of a turn between its `turn.started` and `turn.completed`.
 *
 * @returns how it ended; undefined when the signal ended it.
 */
export async function runSteps(
  host: TurnHost,
  turn: DcodeTurn & { readonly decisions: OpenString<ApprovalDecision>[] },
  script: DcodeScript,
  signal: AbortSignal,
): Promise<EndStep | undefined> {
  const steps = typeof script === "function" ? script(turn) : script;
  for await (const step of steps) {
    // A round of the event loop, so that requests come between steps as they do between processes.
    await nextTick();
    if (signal.aborted) return undefined;
    host.takeSteers();
    if (step.kind === "end") return step;
    await runStep(host, turn, step, signal);
    if (signal.aborted) return undefined;
  }
  return { kind: "end" };
}

async function runStep(
  host: TurnHost,
  turn: DcodeTurn & { readonly decisions: OpenString<ApprovalDecision>[] },
  step: Exclude<DcodeStep, EndStep>,
  signal: AbortSignal,
): Promise<void> {
  const turnId = { turn_id: turn.id };
  switch (step.kind) {
    case "say":
      return host.emit("message.delta", { ...turnId, text: step.text });
    case "think":
      return host.emit("message.reasoning", { ...turnId, text: step.text });
    case "plan":
      return host.emit("plan.updated", { items: step.items });
    case "rounds": {
      const { done, total } = step;
      return host.emit("progress", { ...turnId, kind: "rounds", done, ...(total && { total }) });
    }
    case "emit":
      return host.emit(step.type, step.payload);
    case "wait":
      return await untilAborted(host.gate(step.gate), signal);
    case "pause":
      return await delay(step.ms, undefined, { signal }).catch(() => {});
    case "tools":
      return await runBatch(host, turn, step, signal);
  }
}

async function runBatch(
  host: TurnHost,
  turn: DcodeTurn & { readonly decisions: OpenString<ApprovalDecision>[] },
  { calls, finish }: Extract<DcodeStep, { kind: "tools" }>,
  signal: AbortSignal,
): Promise<void> {
  const turnId = { turn_id: turn.id };
  const ids = calls.map((call, index) => call.id ?? `call_${index}`);
  for (const [index, { name, argumentBytes }] of calls.entries()) {
    for (let done = 0; argumentBytes !== undefined && done <= argumentBytes; done += 512) {
      host.emit("progress", { ...turnId, tool_call_id: ids[index], name, kind: "arguments", done });
    }
  }
  for (const [index, { name, input = {} }] of calls.entries()) {
    host.emit("tool.requested", { ...turnId, tool_call_id: ids[index], name, input });
  }
  host.emit("progress", { ...turnId, kind: "in_flight", done: calls.length, total: 4 });
  const order = finish ?? calls.keys();
  for (const index of order) {
    const call = calls[index];
    const id = ids[index];
    if (!call || id === undefined) throw new RangeError(`The batch has no call ${index}.`);
    const granted = !call.ask || (await askFor(host, turn, call, id, index, signal));
    if (signal.aborted) return;
    if (!granted || call.result === "none") continue;
    runScan(host, turn.id, call, id);
    host.emit("tool.completed", resultOf(host, call, id));
  }
}

/** Asks, and says what was answered; a call that is refused ends here, without a `tool.completed`. */
async function askFor(
  host: TurnHost,
  turn: DcodeTurn & { readonly decisions: OpenString<ApprovalDecision>[] },
  call: DcodeCall,
  id: string,
  index: number,
  signal: AbortSignal,
): Promise<boolean> {
  // Turn and index in the batch: another batch of this turn uses the id again.
  const approvalId = `${turn.id}-${index}`;
  const { boundary, ...rest } = call.ask ?? { boundary: "" };
  const answer = host.ask(approvalId, call, signal);
  host.emit("tool.approval_required", {
    approval_id: approvalId,
    turn_id: turn.id,
    tool_call_id: id,
    tool: call.name,
    boundary_crossed: boundary,
    expires_at: host.deadline(),
    ...rest,
  });
  const decision = await answer;
  turn.decisions.push(decision);
  host.emit("tool.approval_resolved", { approval_id: approvalId, decision });
  return approvalGrants(decision);
}

function runScan(host: TurnHost, turnId: string, { files }: DcodeCall, id: string): void {
  if (!files) return;
  const { seen, total } = files;
  const at = [1, ...Array.from({ length: Math.floor(seen / 25) }, (_, index) => (index + 1) * 25)];
  for (const done of at) {
    const payload = {
      turn_id: turnId,
      tool_call_id: id,
      kind: "files",
      done,
      ...(total && { total }),
    };
    host.emit("progress", payload);
  }
}

function resultOf(host: TurnHost, call: DcodeCall, id: string): ToolCompleted {
  const result = call.result === "none" ? {} : (call.result ?? {});
  return {
    ok: true,
    output: "",
    truncated: false,
    started_at: host.at(),
    finished_at: ZERO_TIME,
    ...result,
    tool_call_id: id,
  };
}

async function untilAborted(event: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) resolve();
  await Promise.race([event, promise]);
  signal.removeEventListener("abort", onAbort);
}
