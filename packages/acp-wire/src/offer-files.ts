import type { AgentFiles } from "./agent-options.ts";
import type { Conn } from "./conn.ts";
import { SandboxedFiles } from "./sandboxed-files.ts";

export interface OfferFilesOptions extends AgentFiles {
  /** The session's own directory. @throws RpcError for a session that is not known */
  directoryOf(sessionId: unknown): string;
  /** The host's path for one of the agent's. */
  toHost(path: string): string;
}

/** Answers `fs/read_text_file`, and `fs/write_text_file` if it is wanted. */
export function offerFiles(conn: Conn, options: OfferFilesOptions): void {
  const { directoryOf, toHost, roots = [], write = false, maxReadBytes } = options;
  const files = new SandboxedFiles({ maxReadBytes });
  const inside = (sessionId: unknown) => [directoryOf(sessionId), ...roots];
  conn.handle("fs/read_text_file", async (params) => {
    const { sessionId, path, line, limit } = params as { [name: string]: unknown };
    const range = { line: asNumber(line), limit: asNumber(limit) };
    return { content: await files.read(inside(sessionId), toHost(String(path)), range) };
  });
  if (!write) return;
  conn.handle("fs/write_text_file", async (params) => {
    const { sessionId, path, content } = params as { [name: string]: unknown };
    await files.write(inside(sessionId), toHost(String(path)), String(content));
    return {};
  });
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
