import { type ApprovalDecision, ErrorCode, ProtocolError } from "@acp-kit/dcode-protocol";
import type { DcodeAsk } from "./script.ts";

/** How many ids of lapsed approvals a session remembers. */
const MAX_LAPSED = 64;

type Pending = {
  /** Answers that are refused yet, because the approval is announced before it is registered. */
  early: number;
  answer(decision: ApprovalDecision): void;
};

/** A session's open approvals, and what it may do without asking. */
export class Approvals {
  readonly #timeoutMs: number;
  readonly #lag: number;
  readonly #pending = new Map<string, Pending>();
  readonly #granted = new Set<string>();
  #lapsed: string[] = [];

  /** @param lag - How many answers to each approval come too early. */
  constructor(timeoutMs: number, lag: number) {
    this.#timeoutMs = timeoutMs;
    this.#lag = lag;
  }

  /** Whether nobody need be asked. */
  isGranted(tool: string, ask: DcodeAsk): boolean {
    return (
      this.#granted.has(keyOf(tool, ask)) ||
      (ask.boundary === "network" && this.#granted.has("network"))
    );
  }

  /** Waits for the answer; the deadline and the signal deny. */
  async ask(
    id: string,
    tool: string,
    ask: DcodeAsk,
    signal: AbortSignal,
  ): Promise<ApprovalDecision> {
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
    this.#pending.set(id, { early: this.#lag, answer: resolve });
    const deny = () => resolve("deny");
    const timer = setTimeout(() => {
      this.#lapsed = [...this.#lapsed, id].slice(-MAX_LAPSED);
      deny();
    }, this.#timeoutMs);
    signal.addEventListener("abort", deny);
    if (signal.aborted) deny();
    const decision = await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", deny);
    this.#pending.delete(id);
    if (decision === "allow_session") this.#granted.add(keyOf(tool, ask));
    if (decision !== "deny" && ask.boundary === "network") this.#granted.add("network");
    return decision;
  }

  /** @throws ProtocolError when it is too late, too early, or nobody asked. */
  resolve(id: string, decision: ApprovalDecision): void {
    const pending = this.#pending.get(id);
    if (pending && pending.early === 0) {
      this.#pending.delete(id);
      pending.answer(decision);
      return;
    }
    if (pending) pending.early -= 1;
    if (this.#lapsed.includes(id)) {
      throw new ProtocolError(ErrorCode.approvalExpired, `approval ${id} has lapsed`);
    }
    throw new ProtocolError(ErrorCode.approvalResolved, `approval ${id} is not open`);
  }
}

/** What an answer for the session is remembered by: the rule, where one asked, else the exact command. */
function keyOf(tool: string, ask: DcodeAsk): string {
  return JSON.stringify([
    tool,
    ask.rule ?? null,
    ask.rule === undefined ? (ask.command ?? "") : null,
  ]);
}
