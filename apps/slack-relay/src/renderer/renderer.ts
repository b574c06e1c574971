import type { SlackPart, SlackRenderer } from "@acp-kit/slack-surface";
import { renderCards } from "./cards.ts";
import { cutMrkdwn } from "./cut-mrkdwn.ts";
import { findEmphasis } from "./emphasis.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderMrkdwn } from "./mrkdwn.ts";
import { renderNotice } from "./notice.ts";
import { renderFailure, renderTurn } from "./render-turn.ts";
import { renderTail } from "./tail.ts";

/** Slack's Markdown: the text that stays and the questions in it, and a tail of plain text. */
export const renderer: SlackRenderer = {
  render(view, context) {
    return {
      parts: renderTurn(view, context),
      tail: view.outcome ? undefined : text(renderTail(view, context.show, context.now)),
    };
  },

  say(kind, markdown) {
    switch (kind) {
      case "notice":
        return text(renderNotice(markdown, "info"));
      case "error":
        return text(renderFailure(markdown));
      case "command":
        return text(renderMarkdown(markdown, false).text);
    }
  },

  cards: renderCards,

  findEmphasis,

  mrkdwn: (markdown) => cutMrkdwn(renderMrkdwn(markdown)),
};

function text(markdown: string): SlackPart {
  return { kind: "text", markdown };
}
