import { cutMarkdown } from "./cut-markdown.ts";
import { type FindEmphasis, noEmphasis } from "./emphasis.ts";
import type { Publication, PublishedState, PublishStep } from "./publication.ts";

/** The state without a call: what the open message has no more room for goes into the next. */
export type Plan = { readonly state: PublishedState; readonly step: PublishStep | undefined };

/** The next step from what is seen to what should be. Pure. */
export function planPublication(
  state: PublishedState,
  { text, tail = "" }: Publication,
  maxCodePoints: number,
  find: FindEmphasis = noEmphasis,
): Plan {
  const { open } = state;
  if (!open) {
    const from = state.sealed.at(-1)?.to ?? 0;
    if (text.slice(from).trim() === "" && (tail === "" || state.sealed.length > 0)) {
      return { state, step: undefined };
    }
    const { body, to } = cutMarkdown(text, from, maxCodePoints, find);
    const isLast = to >= text.length;
    return { state, step: { kind: "post", from, to, body, tail: isLast ? tail : "" } };
  }
  if (open.isFrozen) return { state, step: { kind: "delete", ts: open.ts } };
  const { body, to } = cutMarkdown(text, open.from, maxCodePoints, find);
  const isLast = to >= text.length;
  const wantedTail = isLast ? tail : "";
  if (body === "" && wantedTail === "") {
    return { state, step: { kind: "delete", ts: open.ts } };
  }
  if (open.body !== body || open.tail !== wantedTail) {
    return { state, step: { kind: "edit", ts: open.ts, to, body, tail: wantedTail } };
  }
  if (isLast) return { state, step: undefined };
  const sealed = { sealed: [...state.sealed, { ts: open.ts, to }], open: undefined };
  return planPublication(sealed, { text, tail }, maxCodePoints, find);
}

/** After a step was carried out. Pure. @param ts - Of the message that was posted. */
export function reducePublished(
  state: PublishedState,
  step: PublishStep,
  ts: string,
): PublishedState {
  switch (step.kind) {
    case "post": {
      const { from, to, body, tail } = step;
      return { sealed: state.sealed, open: { ts, from, to, body, tail } };
    }
    case "edit": {
      const { to, body, tail } = step;
      return state.open ? { ...state, open: { ...state.open, to, body, tail } } : state;
    }
    case "delete":
      return { ...state, open: undefined };
  }
}

/**
 * After the open message turned out to take no more edits: what it does not show goes into the next. Where it shows what
 * has to vanish, it goes, and all of it into the next. Pure.
 */
export function freeze(state: PublishedState): PublishedState {
  const { open } = state;
  if (!open || open.isFrozen || open.tail === "") return sealAsShown(state);
  return { ...state, open: { ...open, isFrozen: true } };
}

function sealAsShown({ open, sealed }: PublishedState): PublishedState {
  if (!open) return { sealed, open };
  return { sealed: [...sealed, { ts: open.ts, to: open.to }], open: undefined };
}
