import { splitIntoPieces } from "../src/pieces.ts";
import type { Step, WhenStep } from "../src/script.ts";

/** How long steps take at `--speed 1` by their own waits, in milliseconds; questions take no time. */
export function nominalDuration(
  steps: readonly Step[],
  holds: (step: WhenStep) => boolean,
  answer: string,
): number {
  const total = (list: readonly Step[]) => nominalDuration(list, holds, answer);
  let sum = 0;
  for (const step of steps) {
    if (step.kind === "wait") sum += step.ms ?? Number.POSITIVE_INFINITY;
    if ((step.kind === "text" || step.kind === "thought") && step.pace) {
      sum += (splitIntoPieces(step.text, step.pace.size).length - 1) * step.pace.everyMs;
    }
    if (step.kind === "when") sum += total(holds(step) ? step.steps : (step.otherwise ?? []));
    if (step.kind === "ask") sum += total(step.on?.[answer] ?? []);
    if (step.kind === "repeat") sum += step.times * total(step.steps);
    if (step.kind === "together") sum += Math.max(0, ...step.branches.map(total));
  }
  return sum;
}
