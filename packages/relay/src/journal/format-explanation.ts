import type { Explanation } from "./explain.ts";

/** An explanation for a terminal. Pure. */
export function formatExplanation(about: string, { cameIn, failed }: Explanation): string {
  if (cameIn.length + failed.length === 0) {
    return `Nothing is known about ${about}. The journal holds what came in within the last 30 days; a request that never came is not in it: see whether it reaches this machine.\n`;
  }
  const items = [
    ...cameIn.map((entry) => ({ at: entry.at, text: formatEntry(entry) })),
    ...failed.map((failure) => ({ at: failure.at, text: formatFailure(failure) })),
  ];
  return items
    .sort((one, other) => one.at - other.at)
    .map(({ text }) => `${text}\n`)
    .join("\n");
}

function formatEntry(entry: Explanation["cameIn"][number]): string {
  const { at, surface, bot, what, decision, reason, conversation, message, user, turn } = entry;
  const ids = formatIds({ conversation, message, user, turn });
  return [
    `${formatTime(at)}  ${surface}/${bot}  ${what}: ${decision} (${reason})${ids}`,
    ...formatAdvice(entry.advice),
  ].join("\n");
}

function formatFailure(failure: Explanation["failed"][number]): string {
  const { at, ref, what, code, conversation, detail } = failure;
  const named = code === "" ? "" : ` (${code})`;
  const lines = detail === "" ? [] : detail.split("\n").map((line) => `    ${line}`);
  return [
    `${formatTime(at)}  ref ${ref}  failed: ${what}${named}${formatIds({ conversation })}`,
    ...formatAdvice(failure.advice),
    ...lines,
  ].join("\n");
}

function formatAdvice(advice: { meaning: string; change: string } | undefined): string[] {
  return advice ? [`  ${advice.meaning}`, `  To change it: ${advice.change}`] : [];
}

function formatIds(ids: Readonly<Record<string, string | null | undefined>>): string {
  return Object.entries(ids)
    .filter(([, id]) => id)
    .map(([name, id]) => `  ${name} ${id}`)
    .join("");
}

function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
