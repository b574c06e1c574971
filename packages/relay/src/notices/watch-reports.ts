import type { RouterReport } from "@acp-kit/router";
import type { Notices } from "./notices.ts";

/** So many deaths of agents in so many milliseconds are a crash loop. */
const LOOP_DEATHS = 3;
const LOOP_MS = 10 * 60_000;

/** Tells operators what the router's reports mean together: agents that keep dying, logins that have run out. */
export function watchReports(notices: Notices, now: () => number): (report: RouterReport) => void {
  let deaths: number[] = [];
  return (report) => {
    if (report.kind === "agent-exited") {
      const isRequested = report.code === 0 && report.signal === null;
      if (isRequested) return;
      deaths = [...deaths.filter((at) => now() - at < LOOP_MS), now()].slice(-LOOP_DEATHS);
      if (deaths.length < LOOP_DEATHS) return;
      const text = `An agent has died ${LOOP_DEATHS} times within ${LOOP_MS / 60_000} minutes. Its stderr is in the log at "agent exited".`;
      notices.tell({ kind: "crash-loop", text });
    }
    if (report.kind === "failure" && codeOf(report.error) === AUTH_REQUIRED) {
      const text = `An agent wants somebody to log in again (ref ${report.ref}).`;
      notices.tell({ kind: "login-expired", text });
    }
  };
}

/** By which an agent says that somebody has to log in first. */
const AUTH_REQUIRED = -32000;

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
