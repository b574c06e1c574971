import type { MarkupRenderer, RenderContext, RenderedTurn } from "@acp-kit/router";
import type { Carried, Reader, Section } from "./reader.ts";
import { words } from "./words.ts";

/** Between turns, and between turns and what the surface says itself. */
const RULE = "\n\n---\n\n";

/** The part of an answer that stays, and how it ends. */
export type Composed = {
  /** The text: the same pieces at its beginning as long as it only grows. Empty while there is nothing to show. */
  readonly pieces: readonly string[];
  /** Has to follow the text when something else does, or nothing more. */
  readonly close: string;
  /** What the next response has to know that goes on here. */
  readonly carry?: Carried | undefined;
};

export const NOTHING_COMPOSED: Composed = { pieces: [], close: "" };

/**
 * What was not delivered before, then the response's own turns. Pure.
 *
 * @param leads - What the surface itself says first.
 */
export function composeBody(
  reader: Reader,
  renderer: MarkupRenderer<string>,
  context: RenderContext,
  leads: readonly string[] = [],
): Composed {
  const sections = reader.sections
    .filter(({ hidden }) => !hidden)
    .map((section) => render(section, reader, renderer, context));
  const shown = sections.filter(({ rendered }) => rendered.parts.some((part) => part !== ""));
  const [first] = shown;
  const last = shown.at(-1);
  const isRest = first !== undefined && !isOwn(reader, first.section);
  const begin = isRest ? [...leads, renderer.say("notice", words.missedBefore)] : leads;
  const parts = shown.flatMap(({ rendered }, at) =>
    at === shown.length - 1 ? rendered.parts : [...rendered.parts, rendered.close ?? "", RULE],
  );
  return {
    pieces: [...begin.flatMap((text) => [text, "\n\n"]), ...parts]
      .filter((piece) => piece !== "")
      .slice(0, parts.length > 0 ? undefined : -1),
    get close() {
      return last?.rendered.close ?? "";
    },
    get carry() {
      const open = sections.findLast(({ section }) => !section.view.outcome);
      const text = open?.rendered.carry;
      return open && text !== undefined ? { turn: open.section.view.turn, text } : undefined;
    },
  };
}

type Shown = { readonly section: Section; readonly rendered: RenderedTurn<string> };

/**
 * What a text has behind another one, of which both are pieces; `undefined` when it does not begin with that. Pieces
 * that are the same are not read.
 */
export function findAdded(
  pieces: readonly string[],
  before: readonly string[],
): string | undefined {
  let same = 0;
  while (same < before.length && pieces[same] === before[same]) same += 1;
  const rest = before.slice(same).join("");
  const text = pieces.slice(same).join("");
  return text.startsWith(rest) ? text.slice(rest.length) : undefined;
}

export function lengthOf(pieces: readonly string[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

function render(
  section: Section,
  reader: Reader,
  renderer: MarkupRenderer<string>,
  context: RenderContext,
): Shown {
  const carried = findCarried(reader, section);
  const rendered = renderer.render(section.view, {
    ...context,
    ...(carried !== undefined && { carried }),
  });
  return { section, rendered };
}

/** What the response before this one has left open of a turn, if that is read from there on. */
function findCarried(reader: Reader, section: Section): string | undefined {
  const { carried, after, othersAfter } = reader;
  if (!carried || carried.turn !== section.view.turn) return undefined;
  const start = isOwn(reader, section) ? after : othersAfter;
  return start === carried.seq ? carried.text : undefined;
}

function isOwn(reader: Reader, { view }: Section): boolean {
  return reader.own.includes(view.turn);
}
