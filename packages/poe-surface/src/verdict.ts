import type { Inbound } from "@acp-kit/relay";
import type { Intake } from "./intake.ts";
import type { Plan } from "./plan.ts";
import { words } from "./words.ts";

/** What became of a message, for the journal. */
export type Verdict = Pick<Inbound, "decision" | "reason" | "turn">;

const verdicts: Readonly<Record<string, Verdict>> = {
  stop: { decision: "stop", reason: "asked" },
  continue: { decision: "show", reason: "continue" },
  answer: { decision: "answer", reason: "option" },
  "refuse-and-prompt": { decision: "run", reason: "no-to-question" },
  prompt: { decision: "run", reason: "prompt" },
  show: { decision: "show", reason: "last" },
  "show-new": { decision: "show", reason: "get" },
};

/**
 * Names what a message meant and what is done about it. Pure.
 *
 * @param command - The relay's word for what the message asked of it, if it asked anything.
 */
export function describeVerdict(
  intake: Pick<Intake, "kind"> & { readonly isRefused?: true },
  plan: Plan,
  command?: string,
): Verdict {
  if (intake.isRefused) return { decision: "refuse", reason: "command-not-open" };
  if (intake.kind === "reply") return { decision: "command", reason: command ?? "reply" };
  if (plan.kind === "say") return { decision: "refuse", reason: nameOf(plan.text) };
  const turn = plan.until ?? plan.own.at(-1);
  const verdict = plan.isRepeat
    ? { decision: "attach" as const, reason: "redrive" }
    : (verdicts[intake.kind] ?? { decision: "command", reason: intake.kind });
  const isRun = command !== undefined && verdict.decision === "run";
  return {
    ...verdict,
    ...(isRun && { reason: command }),
    ...(turn !== undefined && turn !== "" && { turn }),
  };
}

/** The name under which the words stand, in the spelling of the journal. */
function nameOf(text: string): string {
  const [name = "said"] = Object.entries(words).find(([, said]) => said === text) ?? [];
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
