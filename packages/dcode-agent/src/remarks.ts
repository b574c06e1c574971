import { ErrorCode as Rpc, RpcError } from "@acp-kit/acp-wire";
import { type ApprovalRequest, ErrorCode } from "@acp-kit/dcode-protocol";
import type { MissCode } from "./follow.ts";
import { failureCode } from "./mapping/errors.ts";

/** What is said of a session that goes on under another id of the daemon. */
export const BROUGHT_BACK =
  "The dcode daemon no longer ran this session, so it was brought back from its record. " +
  "What was said is there; approvals that were given for the session, background processes and an unfinished turn are lost.";

export const BEGINNING_DROPPED = "The daemon no longer holds the beginning of this conversation.";
export const HISTORY_UNREADABLE = "Some of its events cannot be read; they are left out.";

const misses: Readonly<Record<MissCode, string>> = {
  events_expired: "has dropped events before they were read",
  gap: "has left out events",
  bad_event: "has sent an event that cannot be read",
};

/** What is said where live events are missing. */
export function missedRemark(why: MissCode): string {
  return `The dcode daemon ${misses[why]}: a part of what happened is missing here.`;
}

/** What is said where dcode has denied a call that nobody refused here. */
export function deniedRemark({ tool, command }: ApprovalRequest): string {
  return `dcode did not wait for an answer about ${command ?? tool} and denied it: its time for one was over, or somebody else said no.`;
}

/** Longest part of a message that is repeated, in characters. */
const MAX_QUOTED = 200;

/** What is said of a message that was sent into a turn, and that the turn's end has overtaken. */
export function droppedRemark(text: string): string {
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return `The turn ended before dcode read this message; send it again if it still matters: ${quoted}`;
}

/** What is told to a prompt whose turn nobody follows any more. */
export function lossOf(error: Error): RpcError {
  const code = failureCode(error) ?? "internal";
  const text =
    code === ErrorCode.sessionNotFound
      ? "The dcode daemon lost this session in the middle of the turn: it restarted, or somebody ended the session. The next message brings the conversation back from its record."
      : `The dcode daemon was lost in the middle of the turn, which may still run there: ${error.message}`;
  return new RpcError(Rpc.internalError, text, { code });
}
