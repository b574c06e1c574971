import type { PermissionAsk } from "@acp-kit/router";
import {
  type QuestionEnd,
  renderEndedQuestion,
  renderPlainEnd,
  renderPlainQuestion,
  renderQuestion,
  type SlackBody,
} from "../blocks/render-question.ts";
import { createQuestionReference, type KeptQuestion } from "../book/question-book.ts";
import type { CallRequest } from "../budget/call-queue.ts";
import { postOnce } from "../publish/post-once.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure, isLasting } from "./failure.ts";
import { Pause } from "./pause.ts";
import { sayBelow } from "./say-below.ts";
import { tellApprovers } from "./tell-approvers.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** Before its end, a question that nobody has answered is asked once more, in milliseconds. It waits for 30 minutes. */
const REMIND_BEFORE_END_MS = 20 * 60_000;

/** How long Slack is left alone with a question that it refuses in any form, in milliseconds. */
const REFUSED_REST_MS = 30_000;

const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000];

export type AskedQuestion = {
  readonly conversation: string;
  readonly turn: string;
  readonly ask: PermissionAsk;
  /** Slack refuses it in any form, by this word; it is tried on. Resolves when that was said. */
  readonly onMissing: (id: string, error: string) => Promise<void>;
};

type Shown = { readonly ts: string; readonly isOpen: boolean };

/**
 * A question as a message of its own, from its post until its buttons are gone. The only writer of that message; what it
 * was about is kept before it is posted, so that whichever process comes next finds it.
 */
export class QuestionMessage implements Disposable {
  readonly #workspace: SlackWorkspace;
  readonly #place: ThreadPlace;
  readonly #question: AskedQuestion;
  readonly #reference: string;
  readonly #pause: Pause;
  readonly #posted = Promise.withResolvers<void>();
  #end: QuestionEnd | undefined;
  #isClosed = false;
  /** Resolves when its buttons are gone. Rejects with a {@link DeliveryFailure}. */
  readonly done: Promise<void>;

  constructor(
    workspace: SlackWorkspace,
    place: ThreadPlace,
    question: AskedQuestion,
    end?: QuestionEnd,
  ) {
    const { conversation, turn, ask } = question;
    this.#workspace = workspace;
    this.#place = place;
    this.#question = question;
    this.#reference = createQuestionReference({ conversation, turn, permission: ask.id });
    this.#pause = new Pause(workspace.clock);
    this.#end = end;
    this.#posted.promise.catch(() => undefined);
    this.done = this.#run();
    this.done.catch((error: unknown) => this.#posted.reject(error));
  }

  /** Resolves when it is seen, or was said to be missing. Rejects with a {@link DeliveryFailure}. */
  get posted(): Promise<void> {
    return this.#posted.promise;
  }

  /** Takes its buttons away, and says how it ended. */
  end(end: QuestionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#pause.wake();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#pause.wake();
  }

  async #run(): Promise<void> {
    const { questions } = this.#workspace;
    const { conversation, turn, ask } = this.#question;
    const known = questions.find(this.#reference);
    const permission = ask.id;
    const { requester } = ask;
    const { channel } = this.#place;
    const kept = questions.add({ conversation, turn, permission, requester, channel });
    if (kept.state === "ended") return this.#posted.resolve();
    const shown = await this.#show(kept, known !== undefined);
    this.#posted.resolve();
    if (shown?.isOpen) {
      await this.#wait(kept);
      if (this.#isClosed) throw new DeliveryFailure("closed");
      await this.#takeButtonsAway(shown.ts);
    }
    questions.ended(this.#reference);
  }

  /** Until Slack takes it: what nobody has seen, nobody can answer. Undefined when it has ended before. */
  async #show(kept: KeptQuestion, wasIntended: boolean): Promise<Shown | undefined> {
    for (let isTold = false; ; isTold = true) {
      const shown = await this.#post(kept, wasIntended && !isTold);
      if (typeof shown !== "string") return shown;
      if (!isTold && !this.#end) {
        await this.#question.onMissing(`question.${this.#reference}.missing`, shown);
        this.#posted.resolve();
      }
      if (!this.#end && !this.#isClosed) await this.#pause.wait(REFUSED_REST_MS);
      if (this.#isClosed) throw new DeliveryFailure("closed");
      if (this.#end) return undefined;
    }
  }

  /**
   * @param wasIntended - An earlier process may have posted it.
   * @returns The word by which Slack refuses it in any form, if it does.
   */
  async #post(kept: KeptQuestion, wasIntended: boolean): Promise<Shown | string> {
    const { queue, clock, identity, questions } = this.#workspace;
    if (kept.ts !== undefined) return { ts: kept.ts, isOpen: true };
    let isOpen = true;
    const { channel, thread } = this.#place;
    const post = (body: () => SlackBody, mayBeThere: boolean) =>
      postOnce({
        ...{ queue, clock, botId: identity.botId, channel, thread, mayBeThere },
        id: `question.${this.#reference}`,
        priority: "question",
        body: () => {
          isOpen = this.#end === undefined;
          return body();
        },
      });
    let result = await post(() => this.#render(), wasIntended);
    if (result.kind === "undeliverable" && !isLasting(result.error)) {
      result = await post(() => this.#renderPlainly(), false);
    }
    if (result.kind === "undeliverable") {
      if (isLasting(result.error)) throw new DeliveryFailure(result.error);
      return result.error;
    }
    questions.posted(this.#reference, result.ts);
    if (isOpen && !result.isEarlier) {
      const { requester } = this.#question.ask;
      void tellApprovers(this.#workspace, this.#place, result.ts, requester);
    }
    return { ts: result.ts, isOpen: isOpen || result.isEarlier };
  }

  /** Until it has ended; meanwhile its requester is reminded once. */
  async #wait({ state }: KeptQuestion): Promise<void> {
    const { clock } = this.#workspace;
    const remindAt = this.#question.ask.expiresAt - REMIND_BEFORE_END_MS;
    let isReminded = state === "reminded";
    while (!this.#end && !this.#isClosed) {
      const ms = isReminded ? Number.POSITIVE_INFINITY : Math.max(0, remindAt - clock.now());
      await this.#pause.wait(ms);
      if (isReminded || this.#end || this.#isClosed || clock.now() < remindAt) continue;
      isReminded = true;
      this.#workspace.questions.reminded(this.#reference);
      const who = mention(this.#question.ask.requester);
      const text = `${who}The question above still waits for an answer.`;
      await sayBelow(this.#workspace, this.#place, text);
    }
  }

  async #takeButtonsAway(ts: string): Promise<void> {
    const { channel } = this.#place;
    const { ask } = this.#question;
    const end = this.#end ?? { kind: "cancelled", by: undefined };
    const ways = [
      ["chat.update", () => ({ channel, ts, ...renderEndedQuestion(ask, end) })],
      ["chat.update", () => ({ channel, ts, ...renderPlainEnd(ask, end) })],
      ["chat.delete", () => ({ channel, ts })],
    ] as const;
    for (const [method, args] of ways) if (await this.#carryOut(method, args)) return;
  }

  /** False: the platform does not want it this way. */
  async #carryOut(method: string, args: CallRequest["args"]): Promise<boolean> {
    const { queue, clock } = this.#workspace;
    const { channel } = this.#place;
    for (const ms of [...RETRY_AFTER_MS, undefined]) {
      const result = await queue.run({ method, channel, priority: "question", args });
      if (result.kind === "ok") return true;
      if (result.kind === "refused") {
        if (isLasting(result.error)) throw new DeliveryFailure(result.error);
        return result.error === "message_not_found";
      }
      if (result.kind !== "unknown" || this.#isClosed) throw new DeliveryFailure("closed");
      if (ms === undefined) throw new DeliveryFailure("no_answer");
      await new Pause(clock).wait(ms);
    }
    return false;
  }

  #render(): SlackBody {
    const { ask } = this.#question;
    if (this.#end) return renderEndedQuestion(ask, this.#end);
    const isPrivate = this.#place.isDirect;
    return renderQuestion({ ask, reference: this.#reference, revision: 1, isPrivate });
  }

  #renderPlainly(): SlackBody {
    const { ask } = this.#question;
    return this.#end ? renderPlainEnd(ask, this.#end) : renderPlainQuestion(ask);
  }
}

function mention(user: string): string {
  return /^[UW][A-Z0-9]+$/.test(user) ? `<@${user}> ` : "";
}
