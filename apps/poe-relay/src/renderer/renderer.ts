import type { MarkupRenderer } from "@acp-kit/router";
import { renderBody, renderNotice } from "./body.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderFailure } from "./outcome.ts";
import { renderTail } from "./tail.ts";

/**
 * Poe Markdown: one part, the text that stays, and a tail to be shown behind an empty line. The tail's first line says
 * what happens now and can stand alone; inside of a code block that is still open it is readable, not pretty.
 */
export const renderer: MarkupRenderer<string> = {
  render(view, { show, now }) {
    const body = renderBody(view, show);
    return {
      parts: [body],
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
