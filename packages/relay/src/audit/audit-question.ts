import type { RouterReport } from "@acp-kit/router";
import { parseConversationKey } from "../conversation-key.ts";
import type { AuditEvent } from "./audit.ts";

/** What the audit log keeps of a question of an agent. Pure. */
export function auditQuestion(
  report: Extract<RouterReport, { kind: "question-ended" }>,
  of: { readonly project: string; readonly role: (user: string) => string | undefined },
): AuditEvent {
  const { conversation, agent, ask, answer } = report;
  const { surface, bot } = parseConversationKey(conversation);
  const { by, end, option, remembered } = answer;
  return {
    ...(by !== undefined && { who: by, role: of.role(by) }),
    surface,
    bot,
    project: of.project,
    agent,
    conversation,
    what: `question ${ask.toolKind}`,
    shown: JSON.stringify([ask.title, ask.subject]),
    decision: option?.kind ?? end,
    ...(remembered !== undefined && {
      grant: remembered === "now" ? "remembered from now on" : "as remembered before",
    }),
    result: end,
  };
}
