import type { RouterReport } from "@acp-kit/router";
import { type Audit, createAudit } from "./audit/audit.ts";
import { auditFile } from "./audit/audit-file.ts";
import { auditQuestion } from "./audit/audit-question.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import type { Log } from "./log.ts";
import { logReport } from "./log-report.ts";
import { Metrics } from "./metrics.ts";
import { noteDecision } from "./note-decision.ts";
import { createNotices, type Notices } from "./notices/notices.ts";
import { watchDisk } from "./notices/watch-disk.ts";
import { watchReports } from "./notices/watch-reports.ts";
import type { AccessDecision } from "./people/people.ts";
import { Redactor } from "./redactor.ts";
import type { RelayDb } from "./relay-db.ts";
import type { Settings } from "./settings.ts";

/** Settings that every agent calls the same; others have names of their own, which are no labels of a metric. */
const SETTINGS = new Set(["agent", "command", "mode", "model", "thinking", "workspace"]);

export type RecordsOptions = {
  readonly db: RelayDb;
  readonly settings: Pick<Settings, "secrets" | "instance" | "notices" | "proxy">;
  readonly stateDir: string;
  /** Name of the program, for who is told of several. */
  readonly app: string;
  readonly log: Log;
  readonly now: () => number;
  /** What a person may do in a conversation. */
  readonly roleOf: (user: string, conversation: string) => string | undefined;
  /** Name of the workspace of a conversation. */
  readonly projectOf: (conversation: string) => string;
};

/** What a relay keeps of itself for its operator. */
export type Records = AsyncDisposable & {
  readonly journal: Journal;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly metrics: Metrics;
  /** Takes what the router reports. */
  report(report: RouterReport): void;
  /** Takes what was decided about a person. */
  decided(decision: AccessDecision): void;
};

export async function createRecords(options: RecordsOptions): Promise<Records> {
  const { db, settings, stateDir, app, log, now, roleOf, projectOf } = options;
  const redactor = new Redactor();
  for (const secret of settings.secrets) redactor.add(secret);
  const metrics = new Metrics();
  const journal = createJournal({
    ...{ db, log, now, count: metrics.countInbound },
    redact: (text) => redactor.redact(text),
  });
  const audit = withoutThrowing(createAudit(db, now), log);
  const notices = createNotices({ log, now });
  if (settings.notices.webhook !== undefined) {
    const { createWebhook } = await import("./notices/webhook.ts");
    const { webhook: url, allowPrivate } = settings.notices;
    notices.addSink(
      createWebhook({
        ...{ url, allowPrivate, source: `${app} ${settings.instance}` },
        isProxied: settings.proxy !== undefined,
      }),
    );
  }
  const disk = watchDisk(stateDir, notices);
  const watch = watchReports(notices, now);
  const decided = (decision: AccessDecision) => noteDecision({ journal, audit, notices }, decision);
  const auditAnswer = (report: Extract<RouterReport, { kind: "question-ended" }>) => {
    const { conversation } = report;
    const role = (user: string) => roleOf(user, conversation);
    audit.append(auditQuestion(report, { project: projectOf(conversation), role }));
  };
  return {
    journal,
    audit,
    notices,
    metrics,
    report(report) {
      watch(report);
      switch (report.kind) {
        case "failure":
          metrics.countFailure();
          return journal.fail(report);
        case "turn-interrupted": {
          const { ref, conversation } = report;
          metrics.countFailure();
          return journal.fail({ ref, conversation, what: "turn", error: interrupted(report.turn) });
        }
        case "question-ended":
          return auditAnswer(report);
        case "file-sent":
        case "file-refused":
          audit.append(auditFile(report, projectOf(report.conversation)));
          return logReport(log, report);
        case "choice-refused": {
          const { user, conversation, setting } = report;
          const reason = `${SETTINGS.has(setting) ? setting : "setting"}-not-open`;
          decided({ what: "choice", decision: "refused", reason, user, conversation });
          return logReport(log, report);
        }
        default:
          return logReport(log, report);
      }
    },
    decided,
    async [Symbol.asyncDispose]() {
      disk[Symbol.dispose]();
      await notices[Symbol.asyncDispose]();
    },
  };
}

/** What cannot be kept is logged, and keeps nobody from being answered. */
function withoutThrowing(audit: Audit, log: Log): Audit {
  return {
    append(event) {
      try {
        audit.append(event);
      } catch (err) {
        log.error({ err, what: event.what }, "a decision is not in the audit log");
      }
    },
  };
}

function interrupted(turn: string): Error {
  const error = new Error(`The process that ran turn ${turn} died before its end`);
  return Object.assign(error, { code: "interrupted" });
}
