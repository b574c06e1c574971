import { EXTENSION_ID } from "./extension-id.ts";
import { ownLabel } from "./own-label.ts";

/** What a `_meta` map says about the status line. */
export type ParsedMeta = {
  /** Trimmed, at most `MAX_FIELD_RUNES` code points; `""` when absent or not a string. */
  mood: string;
  /** Like `mood`. */
  plan: string;
  /** Whether the map has the extension's key at all, whatever stands there. */
  ok: boolean;
};

/**
 * Reads mood and plan from the `_meta` of a `session/update`, of whatever kind the update is.
 *
 * When `ok`, replace both fields that you show by both that you got: a payload that names only a mood clears the
 * plan, and an empty payload clears both. When not `ok`, the update says nothing about the status line: keep yours.
 *
 * Look into `params._meta` first, and into `params.update._meta` if that is not `ok`: agents use either.
 * Unknown members are ignored, and a field of the wrong type counts as absent without spoiling the other.
 * Labels are opaque: line breaks and markup inside them stay, making them harmless is the renderer's work.
 *
 * @param meta - Anything. Only an object's own members count. Never throws.
 */
export function parseMeta(meta: unknown): ParsedMeta {
  let ok = false;
  let payload: unknown;
  try {
    // `Object`: most updates have no `_meta`, and an error thrown and caught for each would be dear.
    ok = Object.hasOwn(Object(meta), EXTENSION_ID);
    payload = ok && (meta as Record<string, unknown>)[EXTENSION_ID];
  } catch {
    // No object, a revoked proxy, or a getter that throws. In the last case the key is there, and `ok` says so.
  }
  return { mood: ownLabel(payload, "mood"), plan: ownLabel(payload, "plan"), ok };
}
