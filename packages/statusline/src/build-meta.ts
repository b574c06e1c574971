import { EXTENSION_ID } from "./extension-id.ts";
import { ownLabel } from "./own-label.ts";
import type { Status } from "./segments.ts";
import { trim } from "./trim.ts";

/** The `_meta` of a `session/update` that carries a status. Spread it to send other keys along. */
export type StatusMeta = { [EXTENSION_ID]: { mood?: string; plan?: string } };

/**
 * The `_meta` that tells relays the agent's mood and plan. Put it into the `params` of any `session/update`, beside
 * `sessionId` and `update`.
 *
 * Say both each time: a relay takes a field that is left out as cleared, so `buildMeta({})` clears the line.
 * Fields are trimmed and capped at `MAX_FIELD_RUNES` code points, and empty ones are left out; `parseMeta` reads back
 * exactly what was built.
 *
 * @param status - Only its own `mood` and `plan` count; what is not a string is left out. Never throws.
 */
export function buildMeta(status: Pick<Status, "mood" | "plan">): StatusMeta {
  const payload: StatusMeta[typeof EXTENSION_ID] = {};
  // The cap may have cut right behind a space.
  const mood = trim(ownLabel(status, "mood"));
  const plan = trim(ownLabel(status, "plan"));
  if (mood) payload.mood = mood;
  if (plan) payload.plan = plan;
  return { [EXTENSION_ID]: payload };
}
