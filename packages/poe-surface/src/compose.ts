import type { MarkupRenderer, RenderContext } from "@acp-kit/router";
import type { Reader, Section } from "./reader.ts";
import { words } from "./words.ts";

/** Between turns, and between turns and what the surface says itself. */
const RULE = "\n\n---\n\n";

/**
 * The part of an answer that stays: what was not delivered before, then the response's own turns. Pure. Empty while
 * there is nothing to show.
 *
 * @param leads - What the surface itself says first.
 */
export function composeBody(
  reader: Reader,
  renderer: MarkupRenderer<string>,
  context: RenderContext,
  leads: readonly string[] = [],
): string {
  const shown = reader.sections
    .filter(({ hidden }) => !hidden)
    .map((section) => ({ section, text: renderer.render(section.view, context).parts.join("") }))
    .filter(({ text }) => text !== "");
  const [first] = shown;
  const isRest = first !== undefined && !isOwn(reader, first.section);
  const begin = isRest ? [...leads, renderer.say("notice", words.missedBefore)] : leads;
  const parts = shown.map(({ text }) => text).join(RULE);
  return [...begin, parts].filter((text) => text !== "").join("\n\n");
}

function isOwn(reader: Reader, { view }: Section): boolean {
  return reader.own.includes(view.turn);
}
