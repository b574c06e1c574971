import { WireError } from "./errors.ts";
import type { SessionSetup } from "./types/session.ts";

/** @throws WireError `protocol` for an answer that names no session */
export function parseSetup(result: unknown): SessionSetup {
  const { sessionId } = (result ?? {}) as Partial<SessionSetup>;
  if (typeof sessionId === "string") return setupOf(sessionId, result);
  throw new WireError("The agent answered session/new without a session id.", { code: "protocol" });
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
