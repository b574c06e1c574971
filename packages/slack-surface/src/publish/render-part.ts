import type { SlackBlock, SlackBody } from "../blocks/render-question.ts";
import { renderStopButton } from "../blocks/stop-button.ts";
import { defuse } from "./defuse.ts";
import { escapeText } from "./escape-text.ts";
import type { MessageForm, RenderMrkdwn } from "./publication.ts";

/** What notifications show of a message, in code points. */
const MAX_FALLBACK_CODE_POINTS = 150;

/** A context takes 3,000. */
const MAX_TAIL_CODE_POINTS = 500;

export type PartOptions = {
  /** The turn that a button below the tail stops; where there is no tail, there is nothing to stop. */
  readonly stops?: string | undefined;
  /** For the plain form; without it, the source is shown. */
  readonly mrkdwn?: RenderMrkdwn | undefined;
};

/**
 * One message, as the platform takes it. Nobody is mentioned by it.
 *
 * @param tail - Plain text of which nothing is lost when it is cut.
 */
export function renderPart(
  source: string,
  tail: string,
  form: MessageForm,
  { stops, mrkdwn }: PartOptions = {},
): SlackBody {
  const body = defuse(source);
  const below = defuse([...tail].slice(0, MAX_TAIL_CODE_POINTS).join(""));
  if (form.kind === "plain") {
    const texts = [renderPlain(body, mrkdwn), escapeText(below)];
    return { text: texts.filter((each) => each !== "").join("\n\n"), blocks: [] };
  }
  return {
    text: fallback(body === "" ? tail : body),
    blocks: [
      ...(body.trim() === "" ? [] : [{ type: "markdown", text: body }]),
      ...(below === "" ? [] : [plainContext(below)]),
      ...(below === "" || stops === undefined ? [] : [renderStopButton(stops)]),
    ],
  };
}

/** In which nothing is markup: names of tools have stars and underscores. */
function plainContext(text: string): SlackBlock {
  return { type: "context", elements: [{ type: "plain_text", text, emoji: false }] };
}

/** The older markup where one message has room for it, else the source, which takes less. */
function renderPlain(body: string, mrkdwn: RenderMrkdwn | undefined): string {
  const [text = "", ...more] = mrkdwn?.(body) ?? [];
  return text === "" || more.length > 0 ? escapeText(body) : text;
}

/** Marks of quotes and headings, which a notification would show as they are. */
const LINE_MARKS = /^[ \t]*(?:>[ \t]*|#{1,6}[ \t]+)+/gm;

/** The beginning, in one line, with nothing in it that could count as a mention. */
function fallback(body: string): string {
  const line = body.replaceAll(LINE_MARKS, "").replaceAll(/\s+/g, " ").trim();
  const points = [...line];
  const cut = points.length > MAX_FALLBACK_CODE_POINTS;
  const shown = points.slice(0, MAX_FALLBACK_CODE_POINTS).join("");
  return escapeText(cut ? `${shown}…` : shown) || "…";
}
