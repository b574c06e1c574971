import type { PromptTurn } from "@acp-kit/acp-wire";
import type { DcodeClient, TrackedApproval } from "@acp-kit/dcode-client";
import { ApprovalDecision, approvalValid, ErrorCode } from "@acp-kit/dcode-protocol";
import { approvalCall, approvalOptions } from "./mapping/approval.ts";
import { failureCode } from "./mapping/errors.ts";
import { cardId } from "./mapping/reduce-tool.ts";
import type { MappingState } from "./mapping/state.ts";

/** An approval is announced a moment before it can be answered; so long an answer is repeated. */
const REGISTERED_MS = 10_000;

/** The approvals that the client is asked about. */
export class Questions {
  readonly #client: () => DcodeClient;
  readonly #onError: (error: unknown, what: string) => void;
  /** By the seq of the approval: ids come again. */
  readonly #open = new Map<number, AbortController>();

  constructor(client: () => DcodeClient, onError: (error: unknown, what: string) => void) {
    this.#client = client;
    this.#onError = onError;
  }

  /** Withdraws what is not open any more: it lapsed, somebody else answered, or the turn has ended. */
  withdraw(approvals: readonly TrackedApproval[]): void {
    const open = new Set(approvals.map(({ seq }) => seq));
    for (const [seq, over] of this.#open) {
      if (open.has(seq)) continue;
      this.#open.delete(seq);
      over.abort();
    }
  }

  /** Asks about each open approval that nobody was asked about. */
  ask(state: MappingState, turn: PromptTurn): void {
    for (const approval of state.session.approvals) {
      if (this.#open.has(approval.seq) || turn.signal.aborted) continue;
      const over = new AbortController();
      this.#open.set(approval.seq, over);
      this.#askOne(state, approval, turn, over.signal).catch((error: unknown) => {
        this.#onError(error, "approval");
      });
    }
  }

  async #askOne(
    state: MappingState,
    { seq, request, call }: TrackedApproval,
    turn: PromptTurn,
    over: AbortSignal,
  ): Promise<void> {
    const card = call && state.cards.get(call.seq);
    const toolCall = approvalCall(cardId(state, call?.seq ?? seq), request, card?.input);
    const options = approvalOptions(request);
    const outcome = await turn.requestPermission(toolCall, options, { signal: over });
    // A cancelled turn is interrupted, which denies.
    if (over.aborted || turn.signal.aborted) return;
    const answer = outcome.outcome === "selected" ? outcome.optionId : "";
    const decision = approvalValid(answer) ? answer : ApprovalDecision.deny;
    try {
      await this.#client().resolveApproval(state.id, request.approval_id, decision, {
        settleMs: REGISTERED_MS,
        signal: over,
      });
    } catch (error) {
      if (!over.aborted && !isTooLate(error)) throw error;
    }
  }
}

/** Somebody else answered first, or the time was over: no failure. */
function isTooLate(error: unknown): boolean {
  const code = failureCode(error);
  return code === ErrorCode.approvalResolved || code === ErrorCode.approvalExpired;
}
