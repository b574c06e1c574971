import type { z } from "zod";
import type { Closed } from "./closed.ts";
import {
  defaulted,
  fraction,
  implied,
  integer,
  open,
  optional,
  optionalTime,
  sequence,
  shape,
  text,
  time,
} from "./fields.ts";
import { ErrorCode, Mode, SessionState } from "./names.ts";

/** The names that the daemon's policy knows. */
export const sandboxMode = open({
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  fullAccess: "full-access",
});

/** A session as the daemon sees it; the payload of `session.created` too. */
export const sessionSchema = shape("Session", {
  /** Opaque. Today 19 lower-case hex digits. */
  id: text,
  state: open(SessionState),
  workspace: text,
  model: text,
  sandbox_mode: sandboxMode,
  /** Empty when the sandbox and the approval policy make no mode that has a name. */
  mode: defaulted(open(Mode), ""),
  created_at: time,
  /** 0 in `session.created`: the view before that event. */
  last_seq: sequence,
  /** The first event that the daemon still holds; asking for an earlier one is refused. */
  first_seq: implied(sequence, 1),
  /** Tokens. Absent when it is unknown. */
  context_window: optional(integer),
  /** How many criteria the work is measured by. 0 is an answer: there are none. */
  done_criteria: defaulted(integer, 0),
  /** The next four come from daemons after 0.20.0. */
  family: optional(text),
  transport: optional(text),
  base_url: optional(text),
  branch: optional(text),
});
export type Session = Closed<z.output<typeof sessionSchema>>;

/** The events that follow, up to the session's `last_seq` at its creation, happened in another one. */
export const sessionResumedSchema = shape("SessionResumed", {
  source_id: text,
  turns: integer,
  /** The zero time in every release so far. */
  started_at: optionalTime,
});
export type SessionResumed = Closed<z.output<typeof sessionResumedSchema>>;

export const sessionRenamedSchema = shape("SessionRenamed", {
  /** Empty: back to the title that is made from the first question. */
  name: text,
});
export type SessionRenamed = Closed<z.output<typeof sessionRenamedSchema>>;

export const sessionModeChangedSchema = shape("SessionModeChanged", {
  /** Absent on the first announcement. */
  previous: optional(open(Mode)),
  mode: open(Mode),
  sandbox_mode: defaulted(sandboxMode, ""),
});
export type SessionModeChanged = Closed<z.output<typeof sessionModeChangedSchema>>;

export const sessionCompactedSchema = shape("SessionCompacted", {
  /** Despite their names these two are indexes into the model's history, not event seqs. */
  from_seq: sequence,
  to_seq: sequence,
  messages: optional(integer),
  kept: optional(integer),
});
export type SessionCompacted = Closed<z.output<typeof sessionCompactedSchema>>;

/** The body of a refused request, and the payload of `session.error`. */
export const errorBodySchema = shape("Error", {
  code: open(ErrorCode),
  message: text,
});
export type ErrorBody = Closed<z.output<typeof errorBodySchema>>;

export const skillLoadedSchema = shape("SkillLoaded", {
  name: text,
  when_to_use: optional(text),
});
export type SkillLoaded = Closed<z.output<typeof skillLoadedSchema>>;

export const contextBandSchema = shape("ContextBand", {
  /** 0 none, 1 to 3 for 60, 80 and 92 percent of the budget before a summary. */
  band: integer,
  /** Measured against the window, not the budget, by the daemons that were read; may pass 1. */
  fraction,
});
export type ContextBand = Closed<z.output<typeof contextBandSchema>>;
