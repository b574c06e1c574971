import type { PermissionPolicy } from "@acp-kit/router";
import type { WorkspaceConfig } from "../config/schema.ts";
import type { RelayDb } from "../relay-db.ts";

/** What a workspace's configuration says happens to a tool call of a kind that asks. Pure. */
export function policyFor(
  permissions: WorkspaceConfig["permissions"],
  toolKind: string,
): PermissionPolicy {
  if (typeof permissions === "string") return permissions;
  const own = Object.hasOwn(permissions, toolKind)
    ? permissions[toolKind as keyof typeof permissions]
    : undefined;
  return own ?? permissions.default ?? "ask";
}

/** Policies that operators have set for whole workspaces while the relay ran; they go before the configuration's. */
export class Policies {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  get(workspace: string): PermissionPolicy | undefined {
    const sql = "SELECT policy FROM people_policies WHERE workspace = ?";
    return this.#db.get<{ policy: PermissionPolicy }>(sql, workspace)?.policy;
  }

  /** @param policy - Absent: the configuration's holds again. */
  set(workspace: string, policy: PermissionPolicy | undefined, by: string): void {
    if (policy === undefined) {
      this.#db.run("DELETE FROM people_policies WHERE workspace = ?", workspace);
      return;
    }
    this.#db.run("INSERT OR REPLACE INTO people_policies VALUES (?, ?, ?)", workspace, policy, by);
  }
}
