import type { Role } from "@acp-kit/router";

/** Somebody who writes to one of the relay's bots. */
export type Person = {
  /** The bot's name in the configuration. */
  readonly bot: string;
  /** The platform's id of the person; opaque, and nothing that the platform sent is trusted to be short or harmless. */
  readonly user: string;
};

/** One rule: who it is about, and what they may do. */
export type AccessRule = {
  /** The platform's ids of people. `"*"` is everybody; an empty list is nobody. */
  readonly users: readonly string[];
  /** What they may do: talk; also answer questions of other people's turns; also run the relay. Each includes the one before. */
  readonly role: Role;
  /** Names of the bots that the rule is for; absent for all. */
  readonly bots?: readonly string[] | undefined;
};

/** Whether a person may talk. The text of a refusal is fit for chat and tells the person their id. */
export type Admission =
  | { readonly kind: "admitted"; readonly role: Role }
  | { readonly kind: "refused"; readonly text: string };

export interface Access {
  /** The role that the first matching rule gives; `undefined` when no rule matches. */
  roleOf(person: Person): Role | undefined;
  /** Ask this before anything of a message reaches the router. */
  admit(person: Person): Admission;
}

/** Decides by rules: the first that matches wins, and without a match the answer is no. */
export function createAccess(rules: readonly AccessRule[]): Access {
  const roleOf = ({ bot, user }: Person): Role | undefined =>
    rules.find(
      ({ bots, users }) =>
        (bots === undefined || bots.includes(bot)) && (users.includes("*") || users.includes(user)),
    )?.role;
  return {
    roleOf,
    admit(person) {
      const role = roleOf(person);
      return role === undefined
        ? { kind: "refused", text: formatRefusal(person.user) }
        : { kind: "admitted", role };
    },
  };
}

/** True when any rule admits everybody to this bot. */
export function isOpenToEverybody(rules: readonly AccessRule[], bot: string): boolean {
  return rules.some(
    ({ bots, users }) => users.includes("*") && (bots === undefined || bots.includes(bot)),
  );
}

const MAX_SHOWN_ID = 80;

function formatRefusal(user: string): string {
  if (user === "") return "This bot is private, and your message came without a user id.";
  // The id is what a stranger's request said: inside a code span it must not end the span.
  const shown = user.replace(/[^\p{L}\p{N}_.:@+=/-]/gu, "").slice(0, MAX_SHOWN_ID);
  return `This bot is private. Your id is \`${shown}\`: send it to the bot's operator, who can add it to an access rule.`;
}
