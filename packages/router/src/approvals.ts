import { randomUUID } from "node:crypto";
import type { PermissionOutcome, PermissionRequestParams } from "@acp-kit/acp-wire";
import type { EventBody, PermissionAnswer, PermissionAsk, PermissionOption } from "./events.ts";
import { createGrant, findGrant, type Grant, type GrantPlace } from "./grants.ts";
import {
  choosePolicyOption,
  mayAnswer,
  needsCare,
  parsePermissionAsk,
  QUESTION_TIMEOUT_MS,
  type ToolInput,
} from "./permission.ts";
import { Questions } from "./questions.ts";
import type { Role } from "./role.ts";
import type { PermissionPolicy } from "./router.ts";
import type { AnswerItem } from "./store.ts";

/** Questions of one turn that may wait for a person; further ones are refused. */
export const MAX_OPEN_QUESTIONS = 32;

/** Whatever the answers to a turn's questions depend on. */
export type ApprovalHost = {
  now(): number;
  record(event: EventBody): void;
  policy(toolKind: string): PermissionPolicy;
  roleOf(user: string): Role | undefined;
  /** Others' words may be behind what the turn does; and whether that makes a difference. */
  readonly isTainted: boolean;
  readonly askWhenTainted: boolean;
  /** The turn goes on: before and after that nothing is asked. */
  readonly isRunning: boolean;
  /** Where the turn works: what is remembered holds there alone. */
  readonly place: GrantPlace | undefined;
  /** What is remembered for the person who asked for the turn. */
  grants(): Promise<readonly Grant[]>;
  remember(grant: Grant): Promise<void>;
  /** A question was asked or has ended. */
  onChange(): void;
  /** A question has ended, or was answered without being asked. */
  onAnswer(ask: PermissionAsk, answer: PermissionAnswer): void;
  /** Gives the reference of the failure. */
  onFailure(what: string, error: unknown): string;
};

type Choice = {
  readonly option: PermissionOption | undefined;
  /** The person whose earlier answer holds again. */
  readonly by?: string;
};

/** How the questions of one turn are answered: by a policy, by what was remembered, or by a person. */
export class Approvals {
  readonly #requester: string;
  readonly #host: ApprovalHost;
  readonly #questions: Questions;
  #hasTold = false;

  /** @param requester - The person who asked for the turn. */
  constructor(requester: string, host: ApprovalHost) {
    this.#requester = requester;
    this.#host = host;
    this.#questions = new Questions((event, ask) => {
      host.record(event);
      if (event.kind === "permission-answer") host.onAnswer(ask, event);
      host.onChange();
    });
  }

  /** Open questions, oldest first. */
  get asks(): readonly PermissionAsk[] {
    return this.#questions.asks;
  }

  /** Asks whoever has to be asked, and resolves with what the agent is to be told. */
  async ask(
    request: PermissionRequestParams,
    known: ToolInput | undefined,
    signal: AbortSignal,
  ): Promise<PermissionOutcome> {
    const host = this.#host;
    const ask = parsePermissionAsk(request, {
      id: randomUUID(),
      requester: this.#requester,
      now: host.now(),
      ...(known && { known }),
    });
    const choice =
      choosePolicyOption(host.policy(ask.toolKind), ask, this.#isTainted) ??
      (await this.#findRemembered(ask));
    if (!host.isRunning || signal.aborted) return { outcome: "cancelled" };
    if (choice) return this.#settle(ask, choice);
    if (this.asks.length >= MAX_OPEN_QUESTIONS) return this.#refuse();
    return this.#questions.ask(ask, QUESTION_TIMEOUT_MS, signal);
  }

  /** Answers a question, unless it has ended or this is not the person's to choose. */
  answer({ permission, option, user }: AnswerItem): boolean {
    const host = this.#host;
    const ask = this.asks.find(({ id }) => id === permission);
    if (!ask || !mayAnswer(ask, option, user, host.roleOf(user))) return false;
    const chosen = ask.options.find(({ id }) => id === option);
    if (!chosen) return this.#questions.settle(permission, { end: "cancelled", by: user });
    const { rule } = ask;
    const { place } = host;
    if (chosen.kind !== "allow_always" || rule === undefined || !place) {
      return this.#questions.settle(permission, { end: "selected", option: chosen, by: user });
    }
    const grant = createGrant(ask, rule, { ...place, by: user, at: host.now() });
    host.remember(grant).catch((error: unknown) => {
      const ref = host.onFailure("remember an answer", error);
      const text = `The answer counts this once: it could not be remembered (ref ${ref}).`;
      host.record({ kind: "notice", level: "warning", text });
    });
    const once = onceOf(ask) ?? chosen;
    const ending = { end: "selected", option: once, by: user, remembered: "now" } as const;
    return this.#questions.settle(permission, ending);
  }

  /** Ends all that are open: the agent is told `cancelled`. */
  drop(): void {
    this.#questions.drop();
  }

  async #findRemembered(ask: PermissionAsk): Promise<Choice | undefined> {
    const host = this.#host;
    const { place } = host;
    if (ask.rule === undefined || !place) return undefined;
    if (this.#isTainted && needsCare(ask.toolKind)) return undefined;
    try {
      const grant = findGrant(await host.grants(), ask, place, (user) => host.roleOf(user));
      return grant && { option: onceOf(ask), by: grant.by };
    } catch (error) {
      host.onFailure("read remembered answers", error);
      return undefined;
    }
  }

  get #isTainted(): boolean {
    return this.#host.askWhenTainted && this.#host.isTainted;
  }

  #settle(ask: PermissionAsk, { option, by }: Choice): PermissionOutcome {
    const answer: PermissionAnswer = {
      kind: "permission-answer",
      permission: ask.id,
      end: option === undefined ? "cancelled" : "selected",
      ...(option && { option }),
      ...(by !== undefined && { by, remembered: "before" }),
    };
    this.#host.record(answer);
    this.#host.onAnswer(ask, answer);
    return option ? { outcome: "selected", optionId: option.id } : { outcome: "cancelled" };
  }

  #refuse(): PermissionOutcome {
    if (!this.#hasTold) {
      const text = `More than ${MAX_OPEN_QUESTIONS} questions wait for an answer; the agent was told no to the others.`;
      this.#host.record({ kind: "notice", level: "warning", text });
    }
    this.#hasTold = true;
    return { outcome: "cancelled" };
  }
}

function onceOf({ options }: PermissionAsk): PermissionOption | undefined {
  return options.find(({ kind }) => kind === "allow_once");
}
