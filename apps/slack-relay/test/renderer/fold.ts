import type { Display, EventBody, TurnView } from "@acp-kit/router";
import type { SlackPart } from "@acp-kit/slack-surface";
import { showAll } from "../../../../packages/router/test/turn-events.ts";
import { renderer } from "../../src/renderer/index.ts";

export function toolEnd(id: string, status: string, output?: string): EventBody {
  const content = output === undefined ? [] : [{ kind: "text" as const, text: output }];
  return { kind: "tool-update", id, status, content };
}

/** The Markdown of a turn without questions. */
export function bodyOf(view: TurnView, show: Display = showAll): string {
  const stretches = stretchesOf(renderer.render(view, { show, now: 0 }).parts);
  if (stretches.length !== 1) throw new Error(`A turn of ${stretches.length} stretches.`);
  return stretches[0] ?? "";
}

/** Texts that stand as one, each but the last before a question or a file. */
export function stretchesOf(parts: readonly SlackPart[]): string[] {
  const stretches = [""];
  for (const part of parts) {
    if (part.kind === "text") stretches.push((stretches.pop() ?? "") + part.markdown);
    else stretches.push("");
  }
  return stretches;
}
