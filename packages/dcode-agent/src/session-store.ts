import {
  createFileStore,
  type Meta,
  type SessionInfo,
  type SessionStore,
  type StoredSession,
} from "@acp-kit/acp-wire";
import { ErrorCode } from "@acp-kit/dcode-protocol";
import { type Attached, attachLive, attachRecorded } from "./attach.ts";
import type { Daemon } from "./daemon.ts";
import { failureCode, rpcError } from "./mapping/errors.ts";
import { DCODE_META } from "./mapping/mapped.ts";

export type DcodeStore = SessionStore & {
  /** Notes which session of the daemon one of ours is now. */
  remember(info: SessionInfo, daemonSession: string): Promise<void>;
};

/**
 * The sessions that a client may open again. What was said stands with the daemon; here is only an
 * alias for each id that a client knows, because a session that is brought back has a new id there.
 */
export function createDcodeStore(directory: string, daemon: Daemon): DcodeStore {
  const aliases = createFileStore(directory);

  const save = (info: SessionInfo, session: string) => {
    const meta = { ...info._meta, [DCODE_META]: { session, daemon: daemon.name } };
    return aliases.save({ info: { ...info, _meta: meta }, added: [] });
  };

  return {
    remember: async (info, session) => save(info, session),
    async list() {
      const ours = (await aliases.list()).filter((info) => aliasOf(info)?.daemon === daemon.name);
      const known = new Set(ours.map((info) => aliasOf(info)?.session));
      try {
        const client = await daemon.connect();
        const live = await client.listSessions();
        const others = live.filter(({ id }) => !known.has(id));
        return [...ours, ...others.map(({ id, workspace }) => ({ sessionId: id, cwd: workspace }))];
      } catch (error) {
        throw rpcError(error);
      }
    },
    async read(sessionId) {
      const info = (await aliases.read(sessionId))?.info;
      const session = (info && aliasOf(info)?.session) ?? sessionId;
      try {
        const attached = await attach(daemon, session, info?.cwd);
        if (attached === undefined) return undefined;
        const { workspace, id, session: state } = attached.state;
        const title = state.name || info?.title;
        const opened = {
          ...info,
          sessionId,
          cwd: info?.cwd ?? workspace,
          ...(title && { title }),
        };
        if (id !== session) await save(opened, id);
        return { info: opened, history: attached.history, state: attached } satisfies StoredSession;
      } catch (error) {
        throw rpcError(error);
      }
    },
    save: async ({ info, state }) => save(info, state as string),
    delete: (sessionId) => aliases.delete(sessionId),
  };
}

/** The daemon's session, running or recorded; undefined when it has neither. */
async function attach(
  daemon: Daemon,
  session: string,
  workspace: string | undefined,
): Promise<Attached | undefined> {
  const client = await daemon.connect();
  try {
    return await attachLive(client, session);
  } catch (error) {
    if (failureCode(error) !== ErrorCode.sessionNotFound) throw error;
  }
  if (workspace === undefined) return undefined;
  try {
    return await attachRecorded(client, session, workspace);
  } catch (error) {
    if (failureCode(error) !== ErrorCode.sessionNotFound) throw error;
    return undefined;
  }
}

function aliasOf({
  _meta,
}: {
  _meta?: Meta | null;
}): { session?: string; daemon?: string } | undefined {
  const alias = _meta?.[DCODE_META];
  return typeof alias === "object" && alias !== null ? alias : undefined;
}
