import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionInfo } from "../types/session.ts";
import type { SessionUpdate } from "../types/update.ts";
import type { SessionStore } from "./session-store.ts";

/** The small file of a session. It commits the transcript: only its first `bytes` count. */
interface Sidecar {
  info: SessionInfo;
  state?: unknown;
  bytes: number;
}

const SIDECAR = ".acp.json";

/**
 * One transcript (`<id>.jsonl`) and one small file (`<id>.acp.json`) per session in `directory`,
 * which is made if need be (0700, the files 0600). A save appends to the transcript and then
 * replaces the small file by renaming: after a crash the session is as of before or after it.
 */
export function createFileStore(directory: string): SessionStore {
  const sidecarPath = (id: string) => join(directory, `${id}${SIDECAR}`);
  const transcriptPath = (id: string) => join(directory, `${id}.jsonl`);

  const readSidecar = async (id: string): Promise<Sidecar | undefined> => {
    const text = await readIfThere(sidecarPath(id));
    return text === undefined ? undefined : (JSON.parse(text) as Sidecar);
  };

  return {
    transcriptPath,
    async list() {
      const names = await readdir(directory).catch(ignoreMissing);
      const ids = (names ?? [])
        .filter((name) => name.endsWith(SIDECAR))
        .map((name) => name.slice(0, -SIDECAR.length));
      const sidecars = await Promise.all(ids.map((id) => readSidecar(id).catch(() => undefined)));
      return sidecars.flatMap((sidecar) => sidecar?.info ?? []);
    },
    async read(id) {
      const sidecar = await readSidecar(id);
      if (sidecar === undefined) return undefined;
      const { info, state, bytes } = sidecar;
      const transcript = await readFile(transcriptPath(id));
      const lines = transcript.toString("utf8", 0, bytes).split("\n").slice(0, -1);
      const history = lines.map((line) => JSON.parse(line) as SessionUpdate);
      return { info, history, ...(state !== undefined && { state }) };
    },
    async save({ info, added, state }) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const id = info.sessionId;
      const committed = (await readSidecar(id))?.bytes ?? 0;
      const text = added.map((update) => `${JSON.stringify(update)}\n`).join("");
      const file = await open(transcriptPath(id), committed === 0 ? "w" : "r+", 0o600);
      try {
        await file.write(text, committed, "utf8");
      } finally {
        await file.close();
      }
      const sidecar: Sidecar = { info, state, bytes: committed + Buffer.byteLength(text) };
      const draft = join(directory, `.${id}.${crypto.randomUUID()}`);
      await writeFile(draft, JSON.stringify(sidecar), { mode: 0o600 });
      await rename(draft, sidecarPath(id));
    },
    async delete(id) {
      await rm(sidecarPath(id), { force: true });
      await rm(transcriptPath(id), { force: true });
    },
  };
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
