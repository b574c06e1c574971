import { WireError } from "./errors.ts";
import type { SessionInfo, SessionSetup } from "./types/session.ts";

/** @throws WireError `protocol` for an answer that names no session */
export function parseSetup(result: unknown): SessionSetup {
  const { sessionId } = (result ?? {}) as Partial<SessionSetup>;
  if (typeof sessionId === "string") return setupOf(sessionId, result);
  throw new WireError("The agent answered session/new without a session id.", { code: "protocol" });
}

/** Two sessions with one id would hear each other. */
export function sessionIdInUse(sessionId: string): WireError {
  const message = `The agent gave the id ${JSON.stringify(sessionId)} to a second session.`;
  return new WireError(message, { code: "protocol" });
}

/** What an answer says about a session. Only what is known is taken over, name by name. */
export function setupOf(sessionId: string, result: unknown): SessionSetup {
  const { modes, models, configOptions, _meta } = (result ?? {}) as Partial<SessionSetup>;
  return {
    sessionId,
    ...(modes !== undefined && { modes }),
    ...(models !== undefined && { models }),
    ...(configOptions !== undefined && { configOptions }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** What a list says about a session, with its directory translated; undefined for what is none. */
export function sessionInfoOf(
  entry: unknown,
  toHost: (path: string) => string,
): SessionInfo | undefined {
  const info = (entry ?? {}) as Partial<SessionInfo>;
  const { sessionId, cwd, title, updatedAt, additionalDirectories, _meta } = info;
  if (typeof sessionId !== "string") return undefined;
  return {
    sessionId,
    cwd: typeof cwd === "string" ? toHost(cwd) : "",
    ...(title !== undefined && { title }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(additionalDirectories !== undefined && { additionalDirectories }),
    ...(_meta !== undefined && { _meta }),
  };
}
