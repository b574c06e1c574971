import type { z } from "zod";
import type { Closed } from "./closed.ts";
import { flag, integer, list, open, optional, optionalList, shape, text, time } from "./fields.ts";

/** One criterion: what was proposed, what was claimed about it, what running it did. */
export const doneCriterionSchema = shape("DoneCriterion", {
  name: text,
  command: text,
  exit_code: integer,
  /** What the proposer expected before the work. */
  expects: optional(open({ fail: "fail", pass: "pass" })),
  why: optional(text),
  class: open({ acceptance: "acceptance", regression: "regression", broken: "broken" }),
  exit: integer,
  /** At most 2,000 bytes in the daemons that were read. */
  output: optional(text),
  /** The claim and the measurement disagree. */
  mismatch: optional(flag),
});
export type DoneCriterion = Closed<z.output<typeof doneCriterionSchema>>;

export const doneProposalSchema = shape("DoneProposal", {
  proposal_id: text,
  turn_id: text,
  round: integer,
  criteria: list(doneCriterionSchema),
  protected: optionalList(text),
  /** Nothing in the set fails today: it would report done without any change. */
  no_acceptance: optional(flag),
  /** When it passes, the proposal is refused. */
  expires_at: time,
});
export type DoneProposal = Closed<z.output<typeof doneProposalSchema>>;

/** The answer to a proposal, with the criteria as the person left them. No route takes it in 0.20.0. */
export const signDoneRequestSchema = shape("SignDoneRequest", {
  proposal_id: text,
  signed: flag,
  criteria: list(doneCriterionSchema),
  protected: optionalList(text),
});
export type SignDoneRequest = Closed<z.output<typeof signDoneRequestSchema>>;

export const commitDoneResponseSchema = shape("CommitDoneResponse", {
  /** The file that was written. */
  path: text,
  summary: text,
  criteria: integer,
});
export type CommitDoneResponse = Closed<z.output<typeof commitDoneResponseSchema>>;

export const specFolderSchema = shape("SpecFolder", {
  path: text,
  criteria: integer,
  unmet: integer,
  unavailable: optional(integer),
  /** Work is left. No answer unless `measured`. */
  pending: flag,
  /** The criteria were run for this answer. */
  measured: flag,
  error: optional(text),
});
export type SpecFolder = Closed<z.output<typeof specFolderSchema>>;

export const listSpecsResponseSchema = shape("ListSpecsResponse", {
  specs: list(specFolderSchema),
});
export type ListSpecsResponse = Closed<z.output<typeof listSpecsResponseSchema>>;
