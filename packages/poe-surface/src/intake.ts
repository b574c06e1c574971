import {
  type CommandOutcome,
  isBareAnswer,
  isVerdict,
  parseAnswer,
  parseCommand,
  refusal,
} from "@acp-kit/relay";
import type { Attachment, LastTurn, PermissionAsk, Role } from "@acp-kit/router";
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
  /** The relay answers a command. */
  | { readonly kind: "reply"; readonly text: string; readonly isRefused?: true }
  | { readonly kind: "show-new" }
  | { readonly kind: "show"; readonly turn: LastTurn }
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
  | { readonly kind: "prompt"; readonly instead?: Instead };

/** What the agent is sent instead of the message's own words and files. */
export type Instead = {
  readonly text: string;
  readonly attachments: readonly Attachment[];
};

type PlainWords = {
  [Name in keyof typeof words]: (typeof words)[Name] extends string ? Name : never;
}[keyof typeof words];

/** What a command came to that the relay itself has carried out. Pure. */
export function intakeOf(outcome: CommandOutcome): Intake {
  switch (outcome.kind) {
    case "reply":
    case "show-new":
    case "show":
      return outcome;
    case "prompt": {
      const { text, attachments } = outcome;
      return { kind: "prompt", instead: { text, attachments } };
    }
  }
}

/** Decides what a message means, before anything of it reaches the router. Pure. */
export function decideIntake(message: Message, situation: Situation): Intake {
  const intake = decide(message, situation);
  // Nobody means the agent by it.
  const isAstray = intake.kind === "prompt" && isVerdict(message.text);
  return isAstray ? { kind: "say", text: "noQuestion" } : intake;
}

function decide(message: Message, { running, state, isShown }: Situation): Intake {
  const parsed = parseCommand(message.text);
  const command = parsed?.kind === "command" ? parsed.name : undefined;
  if (command === "stop") {
    if (!running) return { kind: "say", text: "nothingRuns" };
    return mayDecide(message, running.who)
      ? { kind: "stop", turn: running.turn }
      : { kind: "say", text: "notYours" };
  }
  if (command === "continue") {
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
