import type { PermissionPolicy } from "@acp-kit/router";
import type { RelayDb } from "../relay-db.ts";

export const POLICIES = [
  "ask",
  "allow",
  "deny",
  "read-only",
] as const satisfies readonly PermissionPolicy[];

/** What an operator decided for one conversation. */
export type SetPolicy = {
  readonly policy: PermissionPolicy;
  readonly by: string;
  /** Milliseconds since the epoch; absent: until it is cleared. */
  readonly until?: number;
};

type Row = { readonly policy: string; readonly by: string; readonly until: number | null };

/** What operators decided for single conversations, over what the configuration says. */
export class PolicyBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  get(conversation: string, now: number): SetPolicy | undefined {
    const sql = "SELECT policy, by, until FROM commands_policies WHERE conversation = ?";
    const row = this.#db.get<Row>(sql, conversation);
    const policy = POLICIES.find((one) => one === row?.policy);
    if (!row || !policy || (row.until !== null && row.until <= now)) return undefined;
    return { policy, by: row.by, ...(row.until !== null && { until: row.until }) };
  }

  /** `undefined` clears it. */
  set(conversation: string, set: SetPolicy | undefined): void {
    if (!set) {
      this.#db.run("DELETE FROM commands_policies WHERE conversation = ?", conversation);
      return;
    }
    const sql = "INSERT OR REPLACE INTO commands_policies VALUES (?, ?, ?, ?)";
    this.#db.run(sql, conversation, set.policy, set.by, set.until ?? null);
  }
}
