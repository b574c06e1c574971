import { parseConversationKey } from "./conversation-key.ts";
import { QUOTAS } from "./people/limits.ts";
import type { AccessDecision } from "./people/people.ts";
import type { Records } from "./records.ts";

/** Budgets, as against limits that a person meets in everyday use. */
const BUDGETS: ReadonlySet<string> = new Set(
  QUOTAS.filter(({ measure }) => measure !== "turns").map(({ name }) => name),
);

/** Keeps what was decided about a person where it belongs: the journal, the audit log, a notice for operators. */
export function noteDecision(
  { journal, audit, notices }: Pick<Records, "journal" | "audit" | "notices">,
  decision: AccessDecision,
): void {
  const { what, reason, user, conversation } = decision;
  const place = conversation === undefined ? {} : parseConversationKey(conversation);
  const { surface = "", bot = "" } = place as { surface?: string; bot?: string };
  const about = `${reason}:${reason === "costPerDay" ? "" : user}`;
  switch (what) {
    case "talk":
      // The surface has noted it with the message's id.
      return;
    case "turn":
      journal.note({ surface, bot, what, decision: "refuse", reason, conversation, user });
      if (BUDGETS.has(reason)) {
        const text = `A budget is used up (limits.${reason}); turns are refused until it begins anew.`;
        notices.tell({ kind: "budget", about: `${about}:reached`, text });
      }
      return;
    case "budget":
      if (BUDGETS.has(reason)) {
        const text = `80 % of a budget is used (limits.${reason}).`;
        notices.tell({ kind: "budget", about, text });
      }
      return;
    case "choice":
      journal.note({ surface, bot, what, decision: "refuse", reason, conversation, user });
      break;
    case "pairing":
    case "pause":
    case "policy":
      break;
  }
  audit.append({
    ...(user !== undefined && { who: user }),
    ...(conversation !== undefined && { surface, bot, conversation }),
    what,
    decision: decision.decision,
    result: reason,
  });
}
