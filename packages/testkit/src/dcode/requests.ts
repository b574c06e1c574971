import { statSync } from "node:fs";
import path from "node:path";
import {
  type CreateSessionRequest,
  createSessionRequestSchema,
  ErrorCode,
  type Mode,
  ProtocolError,
  parseBody,
  validMode,
} from "@acp-kit/dcode-protocol";

type Schema = Parameters<typeof parseBody>[0];

/** Reads a body. The daemon has no code of its own for a malformed one, except where it creates a session. */
export function readBody<Body extends Schema>(
  schema: Body,
  text: string,
  code: string = ErrorCode.internal,
): ReturnType<typeof parseBody<Body>> {
  const body = attempt(() => parseBody(schema, JSON.parse(text)));
  if (body === undefined) throw new ProtocolError(code, "malformed body");
  return body as ReturnType<typeof parseBody<Body>>;
}

/** Reads what creates a session, in the order of the daemon's checks. */
export function readCreation(text: string): CreateSessionRequest {
  const request = readBody(createSessionRequestSchema, text, ErrorCode.workspaceInvalid);
  const { workspace, sandbox_mode: sandbox, loop_spec: spec } = request;
  checkWorkspace(workspace);
  if (sandbox && !["read-only", "workspace-write", "full-access"].includes(sandbox)) {
    throw new ProtocolError(ErrorCode.internal, `no sandbox ${sandbox}`);
  }
  const inside = path.relative(workspace, path.resolve(workspace, spec ?? ""));
  if (inside.split(path.sep)[0] === "..") {
    throw new ProtocolError(ErrorCode.invalidInput, "loop_spec is outside of the workspace");
  }
  return request;
}

export function checkWorkspace(workspace: string): void {
  const stats = path.isAbsolute(workspace)
    ? statSync(workspace, { throwIfNoEntry: false })
    : undefined;
  if (stats?.isDirectory()) return;
  throw new ProtocolError(
    ErrorCode.workspaceInvalid,
    `${workspace} is no directory with an absolute path`,
  );
}

/** A name as the daemon keeps it. */
export function readName(name: string): string {
  const clean = name.replaceAll(/\p{Cc}/gu, "").trim();
  if ([...clean].length <= 120) return clean;
  throw new ProtocolError(ErrorCode.invalidInput, "a name has at most 120 characters");
}

/** The mode to set; one that is none is refused by its name. */
export function readMode(text: string): Mode {
  const body = attempt(() => JSON.parse(text) as { mode?: unknown } | null);
  const mode = body?.mode;
  if (typeof mode === "string" && validMode(mode)) return mode;
  throw new ProtocolError(ErrorCode.invalidInput, `no mode ${JSON.stringify(mode)}`);
}

/** `from` of an event stream. @throws ProtocolError `internal` for what is no number, as the daemon does. */
export function readFrom(text: string | null): number {
  if (text === null) return 1;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ProtocolError(ErrorCode.internal, `from=${text} is no position`);
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
