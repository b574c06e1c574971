import type { SlackBody } from "../blocks/render-question.ts";
import { renderStopButton } from "../blocks/stop-button.ts";
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
 * One message, as the platform takes it. Its text holds no mention that should not count: that is the renderer's to see to.
 *
 * @param tail - Plain text of which nothing is lost when it is cut.
 */
export function renderPart(
  body: string,
  tail: string,
  form: MessageForm,
  { stops, mrkdwn }: PartOptions = {},
): SlackBody {
  const below = escapeText([...tail].slice(0, MAX_TAIL_CODE_POINTS).join(""));
  if (form.kind === "plain") {
    const texts = [renderPlain(body, mrkdwn), below];
    return { text: texts.filter((each) => each !== "").join("\n\n"), blocks: [] };
  }
  return {
    text: fallback(body === "" ? tail : body),
    blocks: [
      ...(body.trim() === "" ? [] : [{ type: "markdown", text: body }]),
      ...(below === "" ? [] : [{ type: "context", elements: [{ type: "mrkdwn", text: below }] }]),
      ...(below === "" || stops === undefined ? [] : [renderStopButton(stops)]),
    ],
  };
}

/** The older markup where one message has room for it, else the source, which takes less. */
function renderPlain(body: string, mrkdwn: RenderMrkdwn | undefined): string {
  const [text = "", ...more] = mrkdwn?.(body) ?? [];
  return text === "" || more.length > 0 ? escapeText(body) : text;
}

/** The beginning, in one line, with nothing in it that could count as a mention. */
function fallback(body: string): string {
  const line = body.replaceAll(/\s+/g, " ").trim();
  const points = [...line];
  const cut = points.length > MAX_FALLBACK_CODE_POINTS;
  const shown = points.slice(0, MAX_FALLBACK_CODE_POINTS).join("");
  return escapeText(cut ? `${shown}…` : shown) || "…";
}
