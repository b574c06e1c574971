import { isAnswer, readStatus } from "@acp-kit/relay";
import type { RenderContext, TurnView } from "@acp-kit/router";
import { Draft } from "./draft.ts";
import { renderOutcome } from "./outcome.ts";
import { addBlock, closeFence, type Page, piecesOf } from "./page.ts";
import { renderFooter } from "./status-line.ts";

/** What stays of a view, and what is known of its end. */
export type Body = {
  /**
   * Grows at its end only while the view advances: a segment is rendered from itself and from those before it.
   */
  readonly pieces: readonly string[];
  /** What is held back while the view goes on, and the end of an open code block. */
  close(): string;
  /** What a message has to begin with that goes on here. */
  carry(): string | undefined;
};

/** @param imageHosts - Whose images are shown as such: the same each time. */
export function renderBody(
  view: TurnView,
  context: RenderContext,
  imageHosts: readonly string[],
): Body {
  const { show } = context;
  const draft = findDraft(view, context, imageHosts);
  const unfinished = draft.advance(view);
  if (view.outcome !== undefined) {
    const page = closeFence(draft.render(unfinished, false));
    const pieces = piecesOf(renderEnd(page, view, show.plan));
    return { pieces, close: () => "", carry: () => undefined };
  }
  return {
    pieces: piecesOf(draft.render(unfinished, true)),
    close() {
      // Only what is said last is looked at, as if nothing stood before it.
      const { page, spoken } = unfinished;
      const last = { page: { ...page, full: [], text: "" }, spoken };
      const running = piecesOf(draft.render(last, true)).join("");
      return piecesOf(closeFence(draft.render(last, false)))
        .join("")
        .slice(running.length);
    },
    carry: () => draft.carryOf(unfinished),
  };
}

function renderEnd(page: Page, view: TurnView, showPlan: boolean): Page {
  const { outcome } = view;
  if (outcome === undefined) return page;
  const isEmpty = page.end === "";
  const told = addBlock(page, renderOutcome(outcome, view, isEmpty));
  if (isEmpty || !isAnswer(outcome)) return told;
  return addBlock(told, renderFooter(readStatus(view, showPlan), view.usage));
}

// By whoever renders; of a view, the turn tells it from the others that the same one renders.
const drafts = new WeakMap<object, Map<string, Draft>>();

function findDraft(
  view: TurnView,
  { show, carried = "", memo }: RenderContext,
  imageHosts: readonly string[],
): Draft {
  if (!memo) return new Draft(view, show, carried, imageHosts);
  const known = drafts.get(memo) ?? new Map<string, Draft>();
  drafts.set(memo, known);
  const key = `${view.turn} ${view.startedAt}`;
  const draft = known.get(key);
  if (draft?.isOf(view, show, carried)) return draft;
  const fresh = new Draft(view, show, carried, imageHosts);
  known.set(key, fresh);
  return fresh;
}
