import { setTimeout as delay } from "node:timers/promises";
import type { SessionUpdate } from "@acp-kit/acp-wire";
import { buildMeta } from "@acp-kit/statusline";
import { fill, type Words } from "./fill.ts";
import { splitIntoPieces } from "./pieces.ts";
import type { AskStep, Fault, Meta, Step, StepOf, WhenStep } from "./script.ts";

/** What a list of steps acts on: an open request and, except in `initialize`, a session. */
export interface Stage {
  /** Aborted when the steps have to stop: the turn was cancelled, the session closed, the client gone. */
  readonly signal: AbortSignal;
  /** What `{{…}}` stands for now. */
  words(): Words;
  /** Divides every wait. */
  readonly speed: number;
  /** Resolves when there is room for more. */
  update(update: SessionUpdate, meta?: Meta): Promise<void>;
  /** Resolves with the key under `on` that the answer stands for. Rejects when `signal` aborts. */
  ask(step: AskStep): Promise<string>;
  holds(step: WhenStep): boolean;
  /** Answers the open request; resolves when the answer is on its way. A second answer is ignored. */
  answer(step: StepOf<"answer">): Promise<void>;
  fail(step: StepOf<"fail">): Promise<void>;
  commit(fault: Fault): Promise<void>;
}

/**
 * Does one step after the other.
 *
 * @throws the reason of `stage.signal` as soon as that aborts, wherever the steps are.
 */
export async function runSteps(steps: readonly Step[], stage: Stage): Promise<void> {
  for (const step of steps) {
    stage.signal.throwIfAborted();
    await runStep(step, stage);
  }
}

async function runStep(step: Step, stage: Stage): Promise<void> {
  switch (step.kind) {
    case "text":
    case "thought":
      return say(step, stage);
    case "update":
      return stage.update(fill(step.update, stage.words()), step.meta);
    case "status":
      // Session info without a change: an update that says nothing but the status line.
      return stage.update({ sessionUpdate: "session_info_update" }, buildMeta(step));
    case "wait":
      return step.ms === undefined ? waitForAbort(stage.signal) : pause(step.ms, stage);
    case "ask": {
      const answer = await stage.ask(fill(step, stage.words()));
      const next = step.on !== undefined && Object.hasOwn(step.on, answer) && step.on[answer];
      return next ? runSteps(next, stage) : undefined;
    }
    case "when":
      return runSteps(stage.holds(step) ? step.steps : (step.otherwise ?? []), stage);
    case "repeat":
      for (let time = 0; time < step.times; time++) await runSteps(step.steps, stage);
      return;
    case "together":
      await Promise.all(step.branches.map((branch) => runSteps(branch, stage)));
      return;
    case "answer":
      return stage.answer(step);
    case "fail":
      return stage.fail(step);
    default:
      return stage.commit(step);
  }
}

async function say(step: StepOf<"text" | "thought">, stage: Stage): Promise<void> {
  const sessionUpdate = step.kind === "text" ? "agent_message_chunk" : "agent_thought_chunk";
  const text = fill(step.text, stage.words());
  const pieces = step.pace ? splitIntoPieces(text, step.pace.size) : [text];
  const everyMs = (step.pace?.everyMs ?? 0) / stage.speed;
  // Each piece has its own due time: delays of single timers do not add up.
  const startedAt = performance.now();
  for (const [index, piece] of pieces.entries()) {
    stage.signal.throwIfAborted();
    const dueInMs = startedAt + index * everyMs - performance.now();
    if (dueInMs > 0) await delay(dueInMs, undefined, { signal: stage.signal });
    await stage.update({ sessionUpdate, content: { type: "text", text: piece } });
  }
}

function pause(ms: number, { speed, signal }: Stage): Promise<void> {
  return delay(ms / speed, undefined, { signal });
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
