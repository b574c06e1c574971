import type { ConversationHost } from "./conversation-host.ts";
import type { ConversationSessions } from "./conversation-sessions.ts";
import type { LogWriter } from "./log-writer.ts";
import type { Lease } from "./store.ts";
import type { TurnHost } from "./turn-runner.ts";
import type { WorkspaceHolder } from "./workspace.ts";

export type TurnsHost = Omit<ConversationHost, "sessions"> & {
  readonly conversation: string;
  readonly sessions: ConversationSessions;
  /** Writes what happens while this process owns the conversation; absent when it does not. */
  readonly writer: LogWriter | undefined;
  readonly lease: Lease | undefined;
  /** Gives the reference of the failure. */
  failed(what: string, error: unknown): string;
};

/** What one turn brings along. */
export type OwnTurnHost = Pick<TurnHost, "session" | "limits" | "record" | "admit"> &
  Partial<Pick<TurnHost, "policy" | "onAnswer" | "settled" | "admitFurther">> & {
    /** Resolves once the turn may ask for its workspace: whoever waits for files keeps nobody else out. */
    ready?(): Promise<void>;
  };

/** What a turn of a person needs of its conversation. */
export function createTurnHost(
  host: TurnsHost,
  writer: LogWriter,
  user: string,
  { ready, ...own }: OwnTurnHost,
): TurnHost {
  return {
    policy: (toolKind) => host.policy(toolKind),
    onAnswer: () => undefined,
    settled: async () => {},
    roleOf: (person) => host.roleOf(person),
    askWhenTainted: host.askWhenTainted,
    grants: () => host.grants.list(user, host.now()),
    remember: async (grant) => {
      const { grants, lease } = host;
      if (lease) await grants.add(lease, user, grant);
    },
    ...own,
    now: () => host.now(),
    flush: () => writer.flush(),
    enter: async (signal) => {
      await ready?.();
      signal.throwIfAborted();
      return enterWorkspace(host, user, signal, own.record);
    },
    onFailure: (what, error) => host.failed(what, error),
  };
}

/** The workspace, once it is ready and nobody else works there. */
async function enterWorkspace(
  host: TurnsHost,
  user: string,
  signal: AbortSignal,
  record: TurnHost["record"],
): Promise<Awaited<ReturnType<TurnHost["enter"]>>> {
  const preparing = () => record({ kind: "status", phase: "preparing-workspace" });
  const workspace = await host.workspace({ user, signal, preparing });
  for (const text of workspace.notices ?? []) record({ kind: "notice", level: "info", text });
  const { exclusive, name } = workspace;
  if (exclusive === undefined) return { workspace, leave: () => undefined };
  record({ kind: "status", phase: "waiting-workspace" });
  const holder = { user, since: host.now(), conversation: host.conversation };
  let told: WorkspaceHolder | undefined;
  const leave = await host.lock(exclusive, signal, holder, (other) => {
    if (told && told.user === other?.user && told.since === other.since) return;
    told = other;
    const known = other && { who: other.user, since: other.since };
    const busy = { ...(name !== undefined && { name }), ...known };
    record({ kind: "status", phase: "waiting-workspace", busy });
  });
  return { workspace, leave };
}
