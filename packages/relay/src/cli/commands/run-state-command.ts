import type { RelayApp } from "../../app.ts";
import type { Env } from "../../config/secret.ts";
import { tablesOf } from "../../relay-tables.ts";
import { formatForTerminal } from "../../terminal-text.ts";
import type { StateRequest } from "../requests.ts";
import type { Streams } from "../streams.ts";
import { listAuditLog, verifyAuditLog } from "./audit.ts";
import { backup, restore } from "./backup.ts";
import { erase } from "./erase.ts";
import { explainAbout } from "./explain.ts";
import { findStateDir } from "./kept-state.ts";
import { allowPerson, listPeople, pauseRelay, removePerson, resumeRelay } from "./people.ts";
import { exportSession, listSessions, showSession } from "./sessions.ts";
import { showUsage } from "./usage.ts";
import { listWorktrees } from "./worktrees.ts";

/** @throws RelayError */
export async function runStateCommand(
  app: RelayApp,
  request: StateRequest,
  env: Env,
  { stdout }: Streams,
): Promise<void> {
  // Node.js 22 warns when its SQLite is loaded.
  process.removeAllListeners("warning");
  process.on("warning", () => {});
  const stateDir = await findStateDir(app, request.place, env);
  const write = (text: string) => void stdout.write(text);
  const tell = (text: string) => write(formatForTerminal(text));
  switch (request.kind) {
    case "backup":
      return tell(await backup(stateDir, request.file));
    case "restore":
      return tell(await restore(stateDir, request.file, await tablesOf(app)));
    case "erase":
      return tell(await erase(stateDir, request.what, request.dryRun, await tablesOf(app)));
    case "explain":
      return tell(await explainAbout(stateDir, request.about, request.json));
    case "audit-verify":
      return tell(await verifyAuditLog(stateDir, request.head));
    case "audit-list":
      return listAuditLog(stateDir, request.json, tell);
    case "list":
      return listSessions(stateDir, write);
    case "worktrees":
      return tell(await listWorktrees(stateDir));
    case "show":
      return showSession(stateDir, request.conversation, write);
    case "export":
      return exportSession(stateDir, request.conversation, request.file, write);
    case "allow":
      return tell(await allowPerson(stateDir, request));
    case "people":
      return tell(await listPeople(stateDir));
    case "remove":
      return tell(await removePerson(stateDir, request.user));
    case "pause":
      return tell(await pauseRelay(stateDir, request.reason));
    case "resume":
      return tell(await resumeRelay(stateDir));
    case "usage":
      return tell(await showUsage(stateDir, request.group, request.days));
  }
}
