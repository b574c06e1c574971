import type { z } from "zod";
import type { Closed } from "./closed.ts";
import {
  bareList,
  base64,
  flag,
  list,
  oneOf,
  optional,
  optionalList,
  shape,
  text,
} from "./fields.ts";
import { ApprovalDecision, Mode } from "./names.ts";
import { sandboxMode, sessionSchema } from "./session.ts";

/** `POST /v1/sessions`. There is no field for the mode: set it afterwards. */
export const createSessionRequestSchema = shape("CreateSessionRequest", {
  /** Absolute path of a directory that exists where the daemon runs. */
  workspace: text,
  model: optional(text),
  sandbox_mode: optional(sandboxMode),
  /** A recorded session whose conversation the new one continues, under a new id. */
  resume: optional(text),
  /** Directory with a `tasks.md`, relative to the workspace: the definition of done. */
  loop_spec: optional(text),
  /** Globs, added to those that the definition protects. */
  protect: optionalList(text),
  /** Open the session that works out the criteria, read-only, rather than the one that works. */
  qualify: optional(flag),
});
export type CreateSessionRequest = Closed<z.output<typeof createSessionRequestSchema>>;

export const turnImageSchema = shape("TurnImage", {
  media_type: text,
  /** Padded base64 of the standard alphabet, no `data:` URL. */
  data: base64,
});
export type TurnImage = Closed<z.output<typeof turnImageSchema>>;

/** `POST …/turns`. The text may be empty. */
export const submitTurnRequestSchema = shape("SubmitTurnRequest", {
  text,
  images: optionalList(turnImageSchema),
});
export type SubmitTurnRequest = Closed<z.output<typeof submitTurnRequestSchema>>;

/** `POST …/steer`: a word to the turn that runs. */
export const steerRequestSchema = shape("SteerRequest", { text });
export type SteerRequest = Closed<z.output<typeof steerRequestSchema>>;

/** `POST …/exec`: a command that a person typed. */
export const execRequestSchema = shape("ExecRequest", { command: text });
export type ExecRequest = Closed<z.output<typeof execRequestSchema>>;

/** `POST …/name`. At most 120 characters; empty gives the derived title back. */
export const renameSessionRequestSchema = shape("RenameSessionRequest", { name: text });
export type RenameSessionRequest = Closed<z.output<typeof renameSessionRequestSchema>>;

/** `POST …/approvals/{approval_id}`. The first answer counts. */
export const resolveApprovalRequestSchema = shape("ResolveApprovalRequest", {
  decision: oneOf(ApprovalDecision),
});
export type ResolveApprovalRequest = Closed<z.output<typeof resolveApprovalRequestSchema>>;

/** `POST …/mode`. */
export const setModeRequestSchema = shape("SetModeRequest", { mode: oneOf(Mode) });
export type SetModeRequest = Closed<z.output<typeof setModeRequestSchema>>;

/** Answer to `POST …/undo`: absolute paths, each restored or left alone because it changed since. */
export const undoResultSchema = shape("UndoResult", { restored: list(text), refused: list(text) });
export type UndoResult = Closed<z.output<typeof undoResultSchema>>;

/** Answer to `GET /v1/sessions`. */
export const sessionListSchema = bareList("SessionList", sessionSchema);

/** Answer to `GET /health`. */
export const healthSchema = shape("Health", { status: text });
export type Health = Closed<z.output<typeof healthSchema>>;

/** Answer to `GET /version`. */
export const versionSchema = shape("Version", { version: text, protocol: text });
export type Version = Closed<z.output<typeof versionSchema>>;
