import type { PromptTurn } from "@acp-kit/acp-wire";
import type { DcodeClient, TrackedApproval } from "@acp-kit/dcode-client";
import {
  ApprovalDecision,
  approvalGrants,
  approvalValid,
  ErrorCode,
} from "@acp-kit/dcode-protocol";
import { approvalCall, approvalOptions } from "./mapping/approval.ts";
import { failureCode } from "./mapping/errors.ts";
import { cardId } from "./mapping/reduce-tool.ts";
import type { MappingState } from "./mapping/state.ts";
import { untilHeard } from "./until-heard.ts";

/** An approval is announced a moment before it can be answered; so long an answer is repeated. */
const REGISTERED_MS = 10_000;

type Question = TrackedApproval & {
  readonly over: AbortController;
  /** It was answered with a no, or its prompt was cancelled. */
  refused: boolean;
};

/** The approvals that the client is asked about. */
export class Questions {
  readonly #client: DcodeClient;
  readonly #onError: (error: unknown, what: string) => void;
  /** By the seq of the approval: ids come again. */
  readonly #open = new Map<number, Question>();

  constructor(client: DcodeClient, onError: (error: unknown, what: string) => void) {
    this.#client = client;
    this.#onError = onError;
  }

  /**
   * Withdraws what is not open any more: it lapsed, somebody else answered, or the turn has ended.
   *
   * @returns those that were not refused here
   */
  withdraw(approvals: readonly TrackedApproval[]): readonly TrackedApproval[] {
    const open = new Set(approvals.map(({ seq }) => seq));
    const closed = [...this.#open.values()].filter(({ seq }) => !open.has(seq));
    for (const { seq, over } of closed) {
      this.#open.delete(seq);
      over.abort();
    }
    return closed.filter(({ refused }) => !refused);
  }

  /** Asks about each open approval that nobody was asked about. */
  ask(state: MappingState, turn: PromptTurn): void {
    for (const approval of state.session.approvals) {
      if (this.#open.has(approval.seq) || turn.signal.aborted) continue;
      const question = { ...approval, over: new AbortController(), refused: false };
      this.#open.set(approval.seq, question);
      this.#askOne(state, question, turn).catch((error: unknown) => {
        this.#onError(error, "approval");
      });
    }
  }

  async #askOne(state: MappingState, question: Question, turn: PromptTurn): Promise<void> {
    const { seq, request, call, over } = question;
    const card = call && state.cards.get(call.seq);
    const toolCall = approvalCall(cardId(state, call?.seq ?? seq), request, card?.input);
    const options = approvalOptions(request);
    const outcome = await turn.requestPermission(toolCall, options, { signal: over.signal });
    const answer = outcome.outcome === "selected" ? outcome.optionId : "";
    const decision = approvalValid(answer) ? answer : ApprovalDecision.deny;
    question.refused = !approvalGrants(decision);
    // A cancelled turn is interrupted, which denies.
    if (over.signal.aborted || turn.signal.aborted) return;
    const settle = { settleMs: REGISTERED_MS, signal: over.signal };
    try {
      await untilHeard(
        () => this.#client.resolveApproval(state.id, request.approval_id, decision, settle),
        over.signal,
      );
    } catch (error) {
      if (!isTooLate(error)) throw error;
    }
  }
}

/** Somebody else answered first, or the time was over: no failure. */
function isTooLate(error: unknown): boolean {
  const code = failureCode(error);
  return code === ErrorCode.approvalResolved || code === ErrorCode.approvalExpired;
}
