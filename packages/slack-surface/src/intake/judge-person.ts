import type { Person } from "@acp-kit/relay";
import type { Role } from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";
import { judgePerson } from "./judge-author.ts";

/** How long somebody's profile is waited for, in milliseconds: the platform wants to know within 3 s. */
const PROFILE_WAIT_MS = 1_200;

/** Somebody who has written or pressed something, as the platform tells of them. */
export type Somebody = {
  readonly user: string;
  /** Their own workspace, where it is told. */
  readonly team?: string | undefined;
  /** Of another app's bot: rules may name it by either id. */
  readonly bot?: string | undefined;
};

export type PersonJudgement =
  | { readonly kind: "admitted"; readonly person: Person; readonly role: Role }
  | { readonly kind: "refused"; readonly person: Person }
  /** A rule is about them unless they are an outsider, and whether they are could not be learnt. */
  | { readonly kind: "unknown"; readonly person: Person };

/**
 * Whether somebody may talk in a channel now. Guests, people of other workspaces that are not of the same
 * organisation, deactivated ones and bots may only where a rule has their id, and so does whoever is not known.
 */
export async function judgeSomebody(
  { bot: { name }, context, identity, directory }: SlackWorkspace,
  { user, team, bot }: Somebody,
  channel: string,
): Promise<PersonJudgement> {
  const { people } = context;
  const personOf = (id: string, isOutsider: boolean): Person => ({
    ...{ surface: "slack", bot: name, team: identity.team, channel },
    ...{ isDirect: channel.startsWith("D"), user: id, isOutsider },
  });
  const judge = (person: Person): PersonJudgement => {
    const role = people.roleOf(person);
    return role === undefined ? { kind: "refused", person } : { kind: "admitted", person, role };
  };
  if (bot !== undefined) {
    const byBot = judge(personOf(bot, true));
    return byBot.kind === "admitted" ? byBot : judge(personOf(user, true));
  }
  const isElsewhere = team !== undefined && team !== identity.team;
  // Only of an organisation's workspace may somebody of another one be no partner: their profile says that.
  if (isElsewhere && identity.enterprise === undefined) return judge(personOf(user, true));
  const profile = await directory.person(user, PROFILE_WAIT_MS);
  if (profile) return judge(personOf(user, judgePerson(profile, identity) !== undefined));
  const named = judge(personOf(user, true));
  const asInsider = personOf(user, false);
  if (named.kind === "admitted" || people.roleOf(asInsider) === undefined) return named;
  return { kind: "unknown", person: named.person };
}
