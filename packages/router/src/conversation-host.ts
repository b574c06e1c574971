import type { Downloads } from "./attachments/downloads.ts";
import type { AttachmentLimits } from "./attachments/limits.ts";
import type { SessionsHost } from "./conversation-sessions.ts";
import type { Grants } from "./grants.ts";
import type { RouterMetric } from "./metrics.ts";
import type { Role } from "./role.ts";
import type {
  PermissionPolicy,
  RouterReport,
  SendPolicy,
  TurnAdmission,
  TurnStart,
} from "./router.ts";
import type { Store } from "./store.ts";
import type { BusyPolicy } from "./turn-queue.ts";
import type { TurnLimits } from "./turn-state.ts";
import type { Workspace, WorkspaceHolder, WorkspaceTurn } from "./workspace.ts";

/** Whatever a conversation needs of the router. */
export type ConversationHost = {
  readonly store: Store;
  readonly sessions: Pick<SessionsHost, "agents" | "watch" | "cannotClose" | "rules">;
  readonly limits: TurnLimits;
  now(): number;
  /** @param turn - Absent: somebody only asks where files are. */
  workspace(turn?: WorkspaceTurn): Promise<Workspace>;
  /** Waits until no other turn works in `exclusive`; `onBusy` is told whose turn does meanwhile. */
  lock(
    exclusive: string,
    signal: AbortSignal,
    holder: WorkspaceHolder,
    onBusy: (holder: WorkspaceHolder | undefined) => void,
  ): Promise<() => void>;
  readonly attachmentLimits: AttachmentLimits;
  /** Fetches what comes with messages. */
  downloads(): Promise<Pick<Downloads, "fetch">>;
  /** What may leave; absent: nothing. */
  sending(): SendPolicy | undefined;
  roleOf(user: string): Role | undefined;
  policy(toolKind: string): PermissionPolicy;
  /** Whether a person's turn may start. */
  admit(start: Omit<TurnStart, "conversation">): TurnAdmission;
  readonly askWhenTainted: boolean;
  readonly grants: Grants;
  busyPolicy(): BusyPolicy;
  report(report: RouterReport): void;
  measure(metric: RouterMetric): void;
};
