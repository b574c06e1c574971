/** What the surface itself says, as Markdown for the renderer's `say`. */
export const words = {
  stillWorking: "Still working. Send `.` any time to see the rest.",
  moreToCome: "There is more. Send `.` to see the rest.",
  stopped: "Stopped.",
  stopping: "Stopping the answer before this one…",
  nothingRuns: "Nothing is running.",
  nothingMore: "You have seen everything so far.",
  shownAbove: "It is being answered in the message above.",
  notYours: "Only the person whose message that is, or an approver, can do this.",
  approversOnly:
    "Only an approver can choose that option. Send the number of another one, or `!no`.",
  noQuestion: "No question is open.",
  tooLate: "That question has ended; your answer came too late and was not passed on.",
  whichOption: "That is none of the options. Send the number of one of them, or `!no`.",
  waitsForAnswer: "Your message waits until this is answered.",
  missedBefore: "You have not seen this yet:",
  noAnswer: "The agent ended its turn without a word.",
  emptyMessage: "Your message is empty. Write what you would like to have done.",
  queueFull: "Too many messages wait in this conversation. Let some of them be answered first.",
  tooLarge: "Your message is too large for this bot. Send less text or smaller files.",
  restarting: "The bot is restarting. Send your message again in a moment.",
  lostEvents: "Some of what came before is no longer kept.",
  notUploaded: (name: string, why: string, reference: string) =>
    `${formatLabel(name)} could not be shown here: ${why} (ref ${reference}).`,
  failed: (reference: string) => `Something went wrong in this bot (ref ${reference}).`,
  queued: (behind: string | undefined, ms: number) =>
    behind === undefined
      ? `Queued${formatAge(ms)}.`
      : `Queued behind: *${behind}*${formatAge(ms)}. \`!stop\` ends that one.`,
  stalled: (ms: number) =>
    `No sign of life from the agent for ${formatMinutes(ms)}. It may still be working; \`!stop\` ends it.`,
} as const;

const MAX_LABEL_CODE_POINTS = 60;

/** A message in a few words that cannot break out of the emphasis around them. */
export function formatLabel(text: string): string {
  const plain = text
    .replace(/[\p{C}\s]+/gu, " ")
    .replace(/[\\`*_~[\]<>#|]/g, "")
    .trim();
  const points = [...plain];
  return points.length <= MAX_LABEL_CODE_POINTS
    ? plain
    : `${points
        .slice(0, MAX_LABEL_CODE_POINTS - 1)
        .join("")
        .trimEnd()}…`;
}

function formatAge(ms: number): string {
  return ms < 60_000 ? "" : ` (${formatMinutes(ms)})`;
}

function formatMinutes(ms: number): string {
  return `${Math.floor(ms / 60_000)} min`;
}
