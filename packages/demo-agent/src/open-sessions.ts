import { randomUUID } from "node:crypto";
import {
  ErrorCode,
  isSessionId,
  RpcError,
  type SessionInfo,
  type SessionStore,
} from "@acp-kit/acp-wire";
import { createSession, restoreSession, type SessionData, takeSave } from "./session.ts";

/** A session that a client has opened. */
export interface OpenSession {
  readonly data: SessionData;
  /** Aborted when the client closes it. */
  readonly closed: AbortController;
  /** The turn whose prompt is not answered yet. */
  turn: Turn | undefined;
  /** Saves of one session happen one after the other. */
  saving: Promise<void>;
}

export interface Turn {
  readonly cancelled: AbortController;
  readonly ended: Promise<void>;
}

/** The sessions of one client, and where they are kept. */
export class OpenSessions {
  readonly #store: SessionStore;
  readonly #open = new Map<string, OpenSession>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  async create(cwd: string): Promise<OpenSession> {
    const session = this.#add(createSession(randomUUID(), cwd, now()));
    await this.save(session);
    return session;
  }

  /** @throws RpcError -32002 for a session that was never saved here */
  async reopen(id: unknown): Promise<OpenSession> {
    const open = this.#open.get(String(id));
    if (open !== undefined) return open;
    const stored = isSessionId(id) ? await this.#store.read(id) : undefined;
    if (stored === undefined) throw unknownSession(id);
    return this.#open.get(stored.info.sessionId) ?? this.#add(restoreSession(stored));
  }

  /** @throws RpcError -32002 for a session that is not open */
  get(id: unknown): OpenSession {
    const session = this.#open.get(String(id));
    if (session === undefined) throw unknownSession(id);
    return session;
  }

  save(session: OpenSession): Promise<void> {
    session.saving = session.saving.then(() => this.#store.save(takeSave(session.data, now())));
    return session.saving;
  }

  /** Ends what runs in it, and keeps what was said. Closing what is not open is no error. */
  async close(id: unknown): Promise<void> {
    const session = this.#open.get(String(id));
    if (session === undefined) return;
    session.closed.abort();
    await session.turn?.ended;
    await this.save(session);
    this.#open.delete(session.data.info.sessionId);
  }

  /** Forgets a session that did not come to be. */
  async discard({ data, closed }: OpenSession): Promise<void> {
    closed.abort();
    this.#open.delete(data.info.sessionId);
    await this.#store.delete(data.info.sessionId);
  }

  /** Ends what runs in all of them. */
  abort(): void {
    for (const session of this.#open.values()) session.closed.abort();
  }

  /** The newest first. */
  async list(cwd: string | undefined): Promise<SessionInfo[]> {
    const infos = [...(await this.#store.list())];
    return infos
      .filter((info) => cwd === undefined || info.cwd === cwd)
      .sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
  }

  #add(data: SessionData): OpenSession {
    const session: OpenSession = {
      data,
      closed: new AbortController(),
      turn: undefined,
      saving: Promise.resolve(),
    };
    this.#open.set(data.info.sessionId, session);
    return session;
  }
}

function unknownSession(id: unknown): RpcError {
  return new RpcError(ErrorCode.resourceNotFound, `Unknown session ${JSON.stringify(id)}.`);
}

function now(): string {
  return new Date().toISOString();
}
