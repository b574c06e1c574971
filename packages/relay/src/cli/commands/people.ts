import type { Role } from "@acp-kit/router";
import { type AuditEvent, createAudit } from "../../audit/audit.ts";
import { KeptPeople } from "../../people/kept-people.ts";
import { PauseSwitch } from "../../people/pause-switch.ts";
import type { RelayDb } from "../../relay-db.ts";
import { withKeptDb } from "./kept-db.ts";

type Allowed = { readonly user: string; readonly role: Role; readonly bot: string };

export function allowPerson(stateDir: string, { user, role, bot }: Allowed): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    new KeptPeople(db).allow({ user, role, bot, by: "", at: Date.now() });
    keep(db, { what: "allow", decision: role, shown: user, ...(bot !== "" && { bot }) });
    const where = bot === "" ? "all bots" : `the bot ${bot}`;
    return `${user} is ${role === "user" ? "a user" : `an ${role}`} of ${where} now.\n`;
  });
}

export function removePerson(stateDir: string, user: string): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    if (!new KeptPeople(db).remove(user)) {
      return `${user} was not let in by allow or a pairing code; rules of the configuration are there.\n`;
    }
    keep(db, { what: "allow", decision: "removed", shown: user });
    return `${user} was removed. Rules of the configuration hold as before.\n`;
  });
}

export function listPeople(stateDir: string): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    const people = new KeptPeople(db).list();
    if (people.length === 0) return "Nobody was let in but by rules of the configuration.\n";
    const rows = people.map(({ user, role, bot, at }) => {
      const since = new Date(at).toISOString().slice(0, 10);
      return `${role.padEnd(10)}${(bot || "all bots").padEnd(18)}${since}  ${user.replaceAll("\n", " ")}\n`;
    });
    return `${"ROLE".padEnd(10)}${"BOT".padEnd(18)}SINCE       ID\n${rows.join("")}`;
  });
}

export function pauseRelay(stateDir: string, reason: string): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    new PauseSwitch(db).set({ by: "", reason, at: Date.now() });
    keep(db, { what: "pause", decision: "paused" });
    return "Paused: no turn starts. What runs goes on to its end.\n";
  });
}

export function resumeRelay(stateDir: string): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    if (!new PauseSwitch(db).clear()) return "It was not paused.\n";
    keep(db, { what: "pause", decision: "resumed" });
    return "Turns start again.\n";
  });
}

/** The console decides for nobody in particular. */
function keep(db: RelayDb, event: AuditEvent): void {
  createAudit(db, Date.now).append({ role: "console", ...event });
}
