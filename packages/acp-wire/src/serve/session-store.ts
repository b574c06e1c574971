import type { Awaitable } from "../conn-options.ts";
import type { SessionInfo } from "../types/session.ts";
import type { SessionUpdate } from "../types/update.ts";

/** A stored session, as `session/load` brings it back. */
export interface StoredSession {
  readonly info: SessionInfo;
  /** What a replay sends, in order. */
  readonly history: readonly SessionUpdate[];
  /** What the session's own `snapshot` returned. */
  readonly state?: unknown;
}

/** What has become of a session since it was saved last. */
export interface SessionSave {
  readonly info: SessionInfo;
  /** Updates behind those that were saved before. */
  readonly added: readonly SessionUpdate[];
  readonly state?: unknown;
}

/** Where sessions are kept while they are not open. Ids were checked: they are safe file names. */
export interface SessionStore {
  list(): Awaitable<readonly SessionInfo[]>;
  read(sessionId: string): Awaitable<StoredSession | undefined>;
  save(session: SessionSave): Awaitable<void>;
  /** Deleting what is not there is no error. */
  delete(sessionId: string): Awaitable<void>;
  /** Where the transcript of a session lies, for a store that has such a place. */
  transcriptPath?(sessionId: string): string;
}

/** Keeps sessions as long as the process lives. */
export function createMemoryStore(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  return {
    list: () => [...sessions.values()].map((session) => session.info),
    read: (sessionId) => sessions.get(sessionId),
    save({ info, added, state }) {
      const history = [...(sessions.get(info.sessionId)?.history ?? []), ...added];
      sessions.set(info.sessionId, { info, history, state });
    },
    delete: (sessionId) => void sessions.delete(sessionId),
  };
}
