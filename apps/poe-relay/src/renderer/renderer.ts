import type { MarkupRenderer } from "@acp-kit/router";
import { renderBody, renderNotice } from "./body.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderFailure } from "./outcome.ts";
import { renderTail } from "./tail.ts";

/**
 * Poe Markdown: one part, the message's durable text, and below it a tail of quoted lines.
 *
 * A tail is shown behind an empty line. Where the text ends inside a code block, the tail begins by closing it.
 */
export const renderer: MarkupRenderer<string> = {
  render(view, { show, now }) {
    const body = renderBody(view, show);
    return {
      parts: [body.text],
      ...(view.outcome === undefined && { tail: renderTail(view, body, show, now) }),
    };
  },

  say(kind, markdown) {
    switch (kind) {
      case "notice":
        return renderNotice(markdown, "info");
      case "error":
        return renderFailure(markdown);
      case "command":
        return renderMarkdown(markdown).text;
    }
  },
};
