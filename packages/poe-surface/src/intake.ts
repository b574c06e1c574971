import type { PermissionAsk, Role } from "@acp-kit/router";
import { isBareAnswer, parseAnswer, refusal } from "./answer.ts";
import type { DeliveryState } from "./delivery-state.ts";
import type { words } from "./words.ts";

export type Message = {
  readonly text: string;
  /** Empty for a message that is never a repeat. */
  readonly key: string;
  readonly user: string;
  readonly role: Role;
};

export type Situation = {
  readonly running:
    | {
        readonly turn: string;
        readonly who: string;
        readonly key: string;
        readonly asks: readonly PermissionAsk[];
      }
    | undefined;
  readonly state: DeliveryState;
  /** Another response shows this conversation right now. */
  readonly isShown: boolean;
};

/** What a message means. */
export type Intake =
  | { readonly kind: "say"; readonly text: PlainWords }
  | { readonly kind: "stop"; readonly turn: string }
  /** Show what was not delivered, and what goes on until this turn ends, if any does. */
  | { readonly kind: "continue"; readonly until: string | undefined }
  | { readonly kind: "answer"; readonly permission: string; readonly option: string | undefined }
  /** The answer is none of those offered: it counts as no, and goes to the agent as the next message. */
  | {
      readonly kind: "refuse-and-prompt";
      /** The turn that asks. */
      readonly turn: string;
      readonly permission: string;
      readonly option: string | undefined;
    }
  | { readonly kind: "prompt" };

type PlainWords = {
  [Name in keyof typeof words]: (typeof words)[Name] extends string ? Name : never;
}[keyof typeof words];

const STOP = /^[!./]stop$/i;
const CONTINUE = /^(?:\.|[!./]continue)$/i;

/** Whether a text is for the relay alone, in whatever situation it comes. */
export function isForRelay(text: string): boolean {
  const word = text.trim();
  return STOP.test(word) || CONTINUE.test(word);
}

/** Decides what a message means, before anything of it reaches the router. Pure. */
export function decideIntake(message: Message, { running, state, isShown }: Situation): Intake {
  const word = message.text.trim();
  if (STOP.test(word)) {
    if (!running) return { kind: "say", text: "nothingRuns" };
    return mayDecide(message, running.who)
      ? { kind: "stop", turn: running.turn }
      : { kind: "say", text: "notYours" };
  }
  if (CONTINUE.test(word)) {
    return isShown
      ? { kind: "say", text: "shownAbove" }
      : { kind: "continue", until: state.until ?? running?.turn };
  }
  const answered = state.answers.find(({ key }) => key === message.key);
  if (answered) return { kind: "answer", permission: answered.permission, option: undefined };
  const shown = state.questions.at(-1);
  // The message that asked for this turn cannot be the answer to what the turn asks.
  if (shown === undefined || (running && message.key !== "" && running.key === message.key)) {
    return { kind: "prompt" };
  }
  const ask = running?.asks.find(({ id }) => id === shown);
  return running && ask
    ? decideAnswer(message, ask, running.turn)
    : decideLateAnswer(message, shown);
}

/** May this person end or answer what belongs to `owner`? */
export function mayDecide({ user, role }: Pick<Message, "user" | "role">, owner: string): boolean {
  return user === owner || role === "approver" || role === "operator";
}

function decideAnswer(message: Message, ask: PermissionAsk, turn: string): Intake {
  const answer = parseAnswer(message.text, ask.options);
  if (!mayDecide(message, ask.requester)) {
    return answer.kind === "other" ? { kind: "prompt" } : { kind: "say", text: "notYours" };
  }
  switch (answer.kind) {
    case "option":
      return { kind: "answer", permission: ask.id, option: answer.option };
    case "none":
      return { kind: "answer", permission: ask.id, option: undefined };
    case "unclear":
      return { kind: "say", text: "whichOption" };
    case "other": {
      const no = refusal(ask.options);
      const option = no.kind === "option" ? no.option : undefined;
      return { kind: "refuse-and-prompt", turn, permission: ask.id, option };
    }
  }
}

/** The question has ended. The store knows whether this very message answered it before, or came too late. */
function decideLateAnswer({ text }: Message, permission: string): Intake {
  return isBareAnswer(text)
    ? { kind: "answer", permission, option: undefined }
    : { kind: "prompt" };
}
