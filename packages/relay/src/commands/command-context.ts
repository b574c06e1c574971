import type { LoginState, LoginStep } from "@acp-kit/acp-wire";
import type { Attachment, Choice, LastTurn, Role, Router, Turn } from "@acp-kit/router";
import type { Audit } from "../audit/audit.ts";
import type { Journal } from "../journal/journal.ts";
import type { Log } from "../log.ts";
import type { AgentOffers } from "../offers/agent-offers.ts";
import type { LoginBook } from "./login-book.ts";
import type { PolicyBook } from "./policy-book.ts";

/** A message that may be for the relay. */
export type CommandMessage = {
  /** The router's key of the conversation. */
  readonly conversation: string;
  /** Name of the bot in the configuration. */
  readonly bot: string;
  readonly user: string;
  readonly role: Role;
  /** The surface's name of the message; empty for one that is never a repeat. */
  readonly key: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The platform's transcript; empty where the platform sends none. */
  readonly query: readonly Turn[];
};

/** What a surface does about a command. */
export type CommandOutcome =
  /**
   * Says this, as a whole answer. Markdown. `asksFor`: the person's next message may be what a login waits for; a
   * surface that has forms takes it by one, and hands it over as a message. `isRefused`: it is not open to the person.
   */
  | {
      readonly kind: "reply";
      readonly text: string;
      readonly asksFor?: "login";
      readonly isRefused?: true;
    }
  /** Shows what is new in the log: the file that was asked for, or why it is not sent. */
  | { readonly kind: "show-new" }
  /** Shows this turn again, which has ended. */
  | { readonly kind: "show"; readonly turn: LastTurn }
  /** Posts the message as a prompt of which the agent is sent this, with these files. */
  | {
      readonly kind: "prompt";
      readonly text: string;
      readonly attachments: readonly Attachment[];
    };

/** An agent, as far as commands need one: acp-wire's `AgentSupervisor` is one. */
export type CommandAgent = {
  readonly info?: { readonly name: string; readonly version: string } | undefined;
  readonly authMethods: readonly {
    readonly id: string;
    readonly name: string;
    readonly type?: string | undefined;
    readonly description?: string | null | undefined;
  }[];
  /** Resolves once `info` and `authMethods` are known. */
  ready(): Promise<unknown>;
  login(methodId: string, step: LoginStep): Promise<LoginState>;
};

/** What commands need of whoever keeps people's rules: the relay's `People` is one. */
export type CommandPeople = {
  /** Present while no turn starts. */
  readonly pause: { readonly reason: string } | undefined;
  pauseAll(by: string, reason: string): void;
  /** False: it was not paused. */
  resumeAll(by: string): boolean;
  /** In the last 24 hours. */
  usageOf(user: string): Used;
};

/** What somebody has used; tokens and cost as far as agents tell. */
export type Used = {
  readonly turns: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly cost: number;
};

/** What commands need of whoever knows where conversations work. */
export type CommandProjects = {
  /** Those that a person may choose. */
  list(conversation: string, user: string): readonly { readonly name: string }[];
  current(conversation: string): string;
  /** Resolves with what there is to say, in one or two sentences. */
  choose(conversation: string, user: string, name: string): Promise<{ readonly text: string }>;
};

/** How the files of a conversation's project have changed. */
export type ChangedFiles = {
  readonly files: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  /** Of one file, or of all that fit; absent where only a summary was asked for. */
  readonly patch?: string;
  /** There is more than is here. */
  readonly isCut: boolean;
};

export type CommandChanges = {
  /** Everything that is not committed. `undefined`: the project is no git checkout. */
  diff(message: CommandMessage, path: string | undefined): Promise<ChangedFiles | undefined>;
  /** What the last turn changed. `undefined`: nobody knows. */
  lastTurn?(message: CommandMessage): Promise<ChangedFiles | undefined>;
};

/** What the commands work with. A part that is missing takes its commands away. */
export type CommandHost = {
  readonly router: Router;
  readonly log: Log;
  /** Name and version of the relay. */
  readonly relay: string;
  /** The agent and the project that each bot starts with, by the bot's name. */
  readonly bots: ReadonlyMap<string, { readonly agent: string; readonly workspace: string }>;
  readonly agents: ReadonlyMap<string, CommandAgent>;
  readonly logins: LoginBook;
  readonly policies: PolicyBook;
  /** Keeps what operators decide. */
  readonly audit?: Audit | undefined;
  readonly mayChoose?: ((choice: Choice) => boolean) | undefined;
  /** Names of agent commands that a person may call. */
  readonly allowedCommands?:
    | ((conversation: string, user: string) => readonly string[])
    | undefined;
  /** What an agent offers, as far as it has been asked. */
  readonly offers?: Pick<AgentOffers, "of"> | undefined;
  /** The agent whose login is this person's own; absent: one login serves all, and is the operator's. */
  readonly personalAgent?:
    | ((agent: string, user: string) => Promise<CommandAgent | undefined>)
    | undefined;
  readonly people?: CommandPeople | undefined;
  /** Told of what failed; the log, where there is none. */
  readonly journal?: Pick<Journal, "fail"> | undefined;
  readonly projects?: CommandProjects | undefined;
  readonly changes?: CommandChanges | undefined;
};

/** One command that is carried out. */
export type CommandCall = {
  readonly host: CommandHost;
  readonly message: CommandMessage;
  readonly argument: string;
  /** Under which what it posts is posted: the same for the same message. Never empty. */
  readonly key: string;
};

export function reply(text: string): CommandOutcome {
  return { kind: "reply", text };
}

/** Says that something is not open to a person. */
export function refuse(text: string): CommandOutcome {
  return { kind: "reply", text, isRefused: true };
}
