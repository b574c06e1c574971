import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionData } from "./session.ts";

/** Where sessions are kept while they are not open. */
export interface SessionStore {
  read(id: string): SessionData | undefined;
  write(session: SessionData): void;
  /** The newest first. */
  list(): SessionData[];
}

/** Keeps sessions as long as the process lives. */
export function createMemoryStore(): SessionStore {
  const sessions = new Map<string, SessionData>();
  return {
    read: (id) => sessions.get(id),
    write: (session) => void sessions.set(session.id, session),
    list: () => newestFirst([...sessions.values()]),
  };
}

/** One file per session in `directory`, which is made if need be (0700; the files 0600). */
export function createFileStore(directory: string): SessionStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fileOf = (id: string) => join(directory, `${id}.json`);
  const read = (id: string) => {
    // The id comes from the client and becomes a file name.
    if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) return undefined;
    try {
      return JSON.parse(readFileSync(fileOf(id), "utf8")) as SessionData;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  };
  return {
    read,
    write(session) {
      const draft = `${fileOf(session.id)}.${process.pid}.new`;
      writeFileSync(draft, JSON.stringify(session), { mode: 0o600 });
      renameSync(draft, fileOf(session.id));
    },
    list() {
      const ids = readdirSync(directory).filter((name) => name.endsWith(".json"));
      return newestFirst(ids.flatMap((name) => read(name.slice(0, -".json".length)) ?? []));
    },
  };
}

function newestFirst(sessions: SessionData[]): SessionData[] {
  return sessions.sort(
    (a, b) => b.updatedAt.localeCompare(a.updatedAt) || a.id.localeCompare(b.id),
  );
}
