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
};

/** What the relay itself answers. */
const REPLIES: ReadonlySet<string> = new Set(["reply", "reply-and-show"]);

/** Names what a message meant and what is done about it. Pure. */
export function describeVerdict(intake: Pick<Intake, "kind">, plan: Plan): Verdict {
  if (REPLIES.has(intake.kind)) return { decision: "command", reason: intake.kind };
  if (plan.kind === "say") return { decision: "refuse", reason: nameOf(plan.text) };
  const turn = plan.until ?? plan.own.at(-1);
  const verdict = plan.isRepeat
    ? { decision: "attach" as const, reason: "redrive" }
    : (verdicts[intake.kind] ?? { decision: "command", reason: intake.kind });
  return { ...verdict, ...(turn !== undefined && { turn }) };
}

/** The name under which the words stand, in the spelling of the journal. */
function nameOf(text: string): string {
  const [name = "said"] = Object.entries(words).find(([, said]) => said === text) ?? [];
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
