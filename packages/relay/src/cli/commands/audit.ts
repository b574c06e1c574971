import { type AuditRecord, readAudit, verifyAudit } from "../../audit/audit.ts";
import { RelayError } from "../../errors.ts";
import { withKeptDb } from "./kept-db.ts";

/**
 * Looks whether the audit log is as it was written. Gives what to tell the operator.
 *
 * @param head - What an earlier look gave: an entry that must still be there.
 * @throws RelayError `store` when it is not.
 */
export async function verifyAuditLog(stateDir: string, head: string | undefined): Promise<string> {
  const check = await withKeptDb(stateDir, (db) => verifyAudit(db, head));
  if (check.kind === "broken") {
    const where = check.entries === 0 ? "from its first entry on" : `behind entry ${check.entries}`;
    throw new RelayError(
      `the audit log has been changed ${where}: an entry is not as it was written, or is missing`,
      { code: "store" },
    );
  }
  const { entries } = check;
  if (entries === 0) return "The audit log is empty.\n";
  return `The audit log is whole: ${entries} ${entries === 1 ? "entry" : "entries"}.\nKeep this to see later that none was cut off (audit verify --head):\n${check.head}\n`;
}

/** Every entry, a line each. */
export async function listAuditLog(
  stateDir: string,
  asJson: boolean,
  write: (text: string) => void,
): Promise<void> {
  await withKeptDb(stateDir, (db) => {
    for (const entry of readAudit(db)) {
      write(asJson ? `${JSON.stringify(entry)}\n` : formatEntry(entry));
    }
  });
}

function formatEntry(
  entry: AuditRecord & { readonly seq: number; readonly user?: string },
): string {
  const { seq, at, who, user, what, decision, ...rest } = entry;
  const person = user ?? who ?? "(nobody)";
  const more = Object.entries(rest).map(([name, value]) => `  ${name} ${value}`);
  return `${seq}  ${at.slice(0, 19).replace("T", " ")}  ${person}  ${what}: ${decision}${more.join("")}\n`;
}
