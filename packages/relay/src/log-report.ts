import type { RouterReport } from "@acp-kit/router";
import { hashId, type Log } from "./log.ts";

/** Those that go elsewhere: failures have a reference and are journaled, questions are audited. */
export type PlainReport = Exclude<
  RouterReport,
  { kind: "failure" | "turn-interrupted" | "question-ended" }
>;

/** Writes what the router reports to the log; conversations and people are named by a digest. */
export function logReport(log: Log, report: PlainReport): void {
  switch (report.kind) {
    case "turn-ended": {
      const { turn, outcome, durationMs, detail } = report;
      const conversation = hashId(report.conversation);
      log.info({ conversation, turn, outcome, durationMs, detail }, "turn ended");
      return;
    }
    case "agent-exited": {
      const { code, signal, stderrTail } = report;
      log.warn({ code, signal, stderrTail }, "agent exited");
      return;
    }
    case "file-sent": {
      const { turn, file, bytes, sha256 } = report;
      const conversation = hashId(report.conversation);
      log.info({ conversation, turn, file, bytes, sha256 }, "a file of the agent was sent");
      return;
    }
    case "file-refused": {
      const { turn, file, reason } = report;
      const conversation = hashId(report.conversation);
      log.warn({ conversation, turn, file, reason }, "a file of the agent was not sent");
      return;
    }
    case "clamped":
      log.warn({ what: report.text }, "a setting cannot be kept");
      return;
    case "choice-refused": {
      const { setting, value } = report;
      const conversation = hashId(report.conversation);
      const user = hashId(report.user);
      log.warn({ conversation, user, setting, value }, "a choice was refused");
      return;
    }
  }
}
