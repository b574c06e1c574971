import type { RouterReport } from "@acp-kit/router";
import { parseConversationKey } from "../conversation-key.ts";
import type { AuditEvent } from "./audit.ts";

/** What the audit log keeps of a file that an agent has sent, or was to send. Pure. */
export function auditFile(
  report: Extract<RouterReport, { kind: "file-sent" | "file-refused" }>,
  project: string,
): AuditEvent {
  const { conversation, file } = report;
  const { surface, bot } = parseConversationKey(conversation);
  const isSent = report.kind === "file-sent";
  return {
    surface,
    bot,
    project,
    conversation,
    what: "file",
    shown: file,
    decision: isSent ? "sent" : "refused",
    result: isSent ? report.sha256 : report.reason,
  };
}
