/** What people are told about the agent's memory. */
export const sessionWords = {
  lost: "The agent's own memory of this conversation is gone.",
  lostAndTold:
    "The agent's own memory of this conversation is gone; it was given what was said so far.",
  edited:
    "Earlier messages were changed or removed: the agent starts anew from what the conversation says now. Files that it changed since stay as they are.",
  sentAgain: "The agent had lost its session; the message was sent to it again.",
} as const;

/** A pause that is worth a word, in milliseconds. */
const LONG_PAUSE_MS = 24 * 3_600_000;

const attachedWords = {
  kept: "The session is still open",
  resumed: "The session was resumed",
  loaded: "The session was loaded again",
  new: "A new session was opened",
} as const;

/**
 * The first line after a pause of more than a day: what the agent goes on with. `undefined` after a shorter one.
 *
 * @param contextUse - How full the context window is, 0 to 1.
 */
export function describePause(
  how: keyof typeof attachedWords,
  pauseMs: number,
  known: { readonly model: string | boolean | undefined; readonly contextUse: number | undefined },
): string | undefined {
  if (pauseMs <= LONG_PAUSE_MS) return undefined;
  const days = Math.floor(pauseMs / LONG_PAUSE_MS);
  const { model, contextUse } = known;
  const isOld = how !== "new" && contextUse !== undefined;
  return [
    attachedWords[how],
    `last active ${days} d ago`,
    ...(typeof model === "string" ? [model] : []),
    ...(isOld ? [`context ${Math.round(contextUse * 100)} %`] : []),
  ].join(" · ");
}
