import { z } from "zod";
import type { SlackProfile } from "../intake/judge-author.ts";

/** A person, as `users.info` tells of them. */
export type KnownPerson = SlackProfile & {
  /** As people call them: what they have chosen themselves, so data. */
  readonly name: string;
};

const flag = z.boolean().catch(false);

/** On one line, and without characters that hide or reorder text. */
const text = z
  .string()
  .transform((name) =>
    name
      .replaceAll(/[\t-\r\p{Z}]+/gu, " ")
      .replaceAll(/\p{C}/gu, "")
      .trim(),
  )
  .catch("");

const answerSchema = z.object({
  user: z.object({
    team_id: z.string(),
    deleted: flag,
    is_bot: flag,
    is_restricted: flag,
    is_ultra_restricted: flag,
    /** Of another workspace, also where the team is an organisation's. */
    is_stranger: flag,
    /** Only of people whose workspace is one of an organisation. */
    enterprise_user: z
      .object({ enterprise_id: z.string().min(1) })
      .optional()
      .catch(undefined),
    name: text,
    real_name: text,
    profile: z.object({ display_name: text, real_name: text }).partial().catch({}),
  }),
});

/** Longest name that is kept, in code points. */
const MAX_NAME_CODE_POINTS = 80;

/** Undefined for an answer that tells nothing certain. Pure. */
export function parseProfile(answer: unknown): KnownPerson | undefined {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) return undefined;
  const { user } = parsed.data;
  const enterprise = user.enterprise_user?.enterprise_id;
  const { display_name, real_name } = user.profile;
  const name = [display_name, real_name, user.real_name, user.name].find(Boolean) ?? "";
  return {
    team: user.is_stranger ? "" : user.team_id,
    ...(enterprise !== undefined && !user.is_stranger && { enterprise }),
    isBot: user.is_bot,
    isDeactivated: user.deleted,
    isGuest: user.is_restricted || user.is_ultra_restricted,
    name: [...name].slice(0, MAX_NAME_CODE_POINTS).join(""),
  };
}
