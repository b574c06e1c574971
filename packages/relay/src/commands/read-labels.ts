import type { LogEvent } from "@acp-kit/router";
import { formatPlain } from "./words.ts";

/** The messages of these turns in a few words, as far as they are among the events. */
export async function readLabels(
  events: AsyncIterable<LogEvent>,
  turns: readonly { readonly turn: string }[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  if (turns.length === 0) return labels;
  const wanted = new Set(turns.map(({ turn }) => turn));
  for await (const event of events) {
    if (event.kind !== "turn-queued" || !wanted.has(event.turn ?? "")) continue;
    labels.set(event.turn ?? "", formatPlain(event.text));
    if (labels.size === wanted.size) break;
  }
  return labels;
}

/** What stands in a list for a message whose words are not known any more, or that has none. */
export function labelOf(labels: ReadonlyMap<string, string>, turn: string): string {
  return labels.get(turn) || "a message";
}
