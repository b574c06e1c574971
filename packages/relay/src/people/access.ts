import type { Role } from "@acp-kit/router";
import {
  type AccessRule,
  has,
  isAbout,
  isFor,
  type Person,
  type Place,
  roleBy,
} from "./access-rule.ts";

/** Whether a person may talk. The text of a refusal is fit for chat and tells the person their id. */
export type Admission =
  | { readonly kind: "admitted"; readonly role: Role }
  | { readonly kind: "refused"; readonly text: string };

export interface Access {
  /** The role that a person has where they are; `undefined` when they may not talk. */
  roleOf(person: Person): Role | undefined;
  /** What holds for a person: the first rule about them, with the role that they have. */
  ruleOf(person: Person): AccessRule | undefined;
  /** Ask this before anything of a message reaches the router. */
  admit(person: Person): Admission;
}

export type AccessOptions = {
  /** The first that matches decides. */
  readonly rules: readonly AccessRule[];
  /** The role of somebody whom an operator has let in while the relay ran; it goes before that of a rule. */
  readonly keptRoleOf?: (person: Person) => Role | undefined;
  /** The relay's command, for what a refusal says about how to let somebody in. */
  readonly app: string;
};

/** Decides by rules, and without a match the answer is no. */
export function createAccess({ rules, keptRoleOf, app }: AccessOptions): Access {
  const ruleOf = (person: Person): AccessRule | undefined => {
    const rule = rules.find((one) => isAbout(one, person));
    const kept = person.user === "" ? undefined : keptRoleOf?.(person);
    if (kept !== undefined) return { ...rule, users: [person.user], role: kept };
    return rule && { ...rule, role: roleBy(rule, person.user) };
  };
  return {
    ruleOf,
    roleOf: (person) => ruleOf(person)?.role,
    admit(person) {
      const role = ruleOf(person)?.role;
      return role === undefined
        ? { kind: "refused", text: formatRefusal(person.user, app) }
        : { kind: "admitted", role };
    },
  };
}

/** True when any rule admits everybody to this bot, in whatever place. */
export function isOpenToEverybody(
  rules: readonly AccessRule[],
  place: Pick<Place, "surface" | "bot">,
): boolean {
  return rules.some(
    (rule) =>
      (rule.users.includes("*") || has(rule.approvers, "*")) &&
      isFor({ ...rule, slack: undefined }, place) &&
      (rule.slack === undefined || place.surface === "slack"),
  );
}

const MAX_SHOWN_ID = 80;

function formatRefusal(user: string, app: string): string {
  if (user === "") return "This bot is private, and your message came without a user id.";
  // The id is what a stranger's request said: inside a code span it must not end the span.
  const shown = user.replace(/[^\p{L}\p{N}_.:@+=/-]/gu, "").slice(0, MAX_SHOWN_ID);
  const lead = `This bot is private. Your id is \`${shown}\`.`;
  return shown === user && !user.startsWith("-")
    ? `${lead} Its operator can let you in with \`${app} allow ${shown}\`.`
    : `${lead} Its operator can add it to an access rule.`;
}
