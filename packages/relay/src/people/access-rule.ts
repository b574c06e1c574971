import type { Role } from "@acp-kit/router";

/** Where somebody writes: as much of it as rules are about. */
export type Place = {
  /** Platform of the bot. */
  readonly surface: string;
  /** The bot's name in the configuration. */
  readonly bot: string;
  /** The platform's ids, where it has such a thing. */
  readonly team?: string | undefined;
  readonly channel?: string | undefined;
  /** Nobody but the person and the bot is there. */
  readonly isDirect?: boolean | undefined;
};

/** Somebody who writes to one of the relay's bots. */
export type Person = Place & {
  /** The platform's id of the person; opaque, and nothing that the platform sent is trusted to be short or harmless. */
  readonly user: string;
  /** The platform says that they are a guest, or of another organisation: only a rule that has their id is about them. */
  readonly isOutsider?: boolean | undefined;
};

/** One rule: who it is about, and what they may do. Of a list, `"*"` is all, and an empty one is nothing. */
export type AccessRule = {
  /** The platform's ids of people. */
  readonly users: readonly string[];
  /** What they may do: talk; also answer questions of other people's turns; also run the relay. Each includes the one before. */
  readonly role: Role;
  /** Names of the bots that the rule is for; absent for all. */
  readonly bots?: readonly string[] | undefined;
  /** The rule is for this platform alone, and there for these places. */
  readonly poe?: { readonly bot?: string | undefined } | undefined;
  readonly slack?:
    | {
        readonly team?: string | undefined;
        readonly channel?: string | undefined;
        readonly dm?: boolean | undefined;
      }
    | undefined;
  /** People who are approvers where the rule holds, whether or not `users` lists them. */
  readonly approvers?: readonly string[] | undefined;
  /** Names of workspaces and agents; absent: the bot's own. */
  readonly workspaces?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  /** Ids of models; absent: every one that the agent's configuration lists, or all. */
  readonly models?: readonly string[] | undefined;
  /** Ids of modes; absent: those that the agent's configuration lists, or the agent's default mode alone. */
  readonly modes?: readonly string[] | undefined;
  /** Names of the agent's own commands, without the slash; absent: {@link DEFAULT_COMMANDS}. */
  readonly commands?: readonly string[] | undefined;
};

/** Commands of agents that do no more than a message does, for people whose rule names none; operators have more. */
export const DEFAULT_COMMANDS: readonly string[] = ["compact"];
export const OPERATOR_COMMANDS: readonly string[] = [
  ...DEFAULT_COMMANDS,
  "changelog",
  "mcp",
  "reload",
  "session",
  "skills",
];

/** Whether a rule is about a person where they are now. */
export function isAbout(rule: AccessRule, person: Person): boolean {
  const { users, approvers } = rule;
  // Who comes without an id is somebody nevertheless.
  const isOpen = users.includes("*") || approvers?.includes("*") === true;
  const isNamed = users.includes(person.user) || approvers?.includes(person.user) === true;
  return isFor(rule, person) && (isNamed || (isOpen && person.isOutsider !== true));
}

/** Whether a rule is for a place. */
export function isFor({ bots, poe, slack }: AccessRule, place: Place): boolean {
  return (
    (bots === undefined || bots.includes(place.bot)) &&
    (poe === undefined || (place.surface === "poe" && fits(poe.bot, place.bot))) &&
    (slack === undefined ||
      (place.surface === "slack" &&
        fits(slack.team, place.team) &&
        fits(slack.channel, place.channel) &&
        fits(slack.dm, place.isDirect === true)))
  );
}

/** The role that a rule gives a person whom it is about. */
export function roleBy({ role, approvers }: AccessRule, user: string): Role {
  return role === "user" && has(approvers, user) ? "approver" : role;
}

/** Whether a list of a rule has a value. */
export function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && value !== "" && (list.includes("*") || list.includes(value));
}

function fits<Value>(wanted: Value | undefined, value: Value | undefined): boolean {
  return wanted === undefined || wanted === value;
}
