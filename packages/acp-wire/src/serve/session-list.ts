import { ErrorCode, RpcError } from "../errors.ts";
import type { SessionInfo, SessionListResult } from "../types/session.ts";

const PAGE_SIZE = 50;

/**
 * One page of a list of sessions, the newest first. The cursor names the last entry of the page
 * before, so that sessions which come or go meanwhile neither repeat nor hide others.
 *
 * @throws RpcError -32602 for a cursor that is not ours
 */
export function listPage(sessions: readonly SessionInfo[], cursor: unknown): SessionListResult {
  const after = cursor === undefined || cursor === null ? undefined : parseCursor(cursor);
  const sorted = [...sessions].sort(compare);
  const rest = after ? sorted.filter((session) => compare(session, after) > 0) : sorted;
  const page = rest.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  if (last === undefined || rest.length <= PAGE_SIZE) return { sessions: page };
  return { sessions: page, nextCursor: formatCursor(last) };
}

type Position = Pick<SessionInfo, "sessionId" | "updatedAt">;

function compare(a: Position, b: Position): number {
  const newer = compareText(b.updatedAt ?? "", a.updatedAt ?? "");
  return newer || compareText(a.sessionId, b.sessionId);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function formatCursor({ sessionId, updatedAt }: Position): string {
  return Buffer.from(JSON.stringify([updatedAt ?? "", sessionId])).toString("base64url");
}

function parseCursor(cursor: unknown): Position {
  try {
    const text = Buffer.from(String(cursor), "base64url").toString();
    const [updatedAt, sessionId] = JSON.parse(text) as unknown[];
    if (typeof updatedAt === "string" && typeof sessionId === "string") {
      return { updatedAt, sessionId };
    }
  } catch {
    // Falls through to the one error that there is.
  }
  throw new RpcError(ErrorCode.invalidParams, "Unknown cursor");
}
