import type { MarkupRenderer } from "@acp-kit/router";
import { renderBody } from "./body.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderNotice } from "./notice.ts";
import { renderFailure } from "./outcome.ts";
import { renderTail } from "./tail.ts";

export type RendererOptions = {
  /** Hosts whose images are shown as such, `*.example.org` for all below one; any other image becomes a link. */
  readonly imageHosts: readonly string[];
};

/**
 * Poe Markdown: the text that stays, in pieces, and a tail to be shown behind an empty line. The tail's first line says
 * what happens now and can stand alone. All but the text is made when it is asked for.
 */
export function createRenderer({ imageHosts }: RendererOptions): MarkupRenderer<string> {
  return {
    render(view, context) {
      const { pieces, close, carry } = renderBody(view, context, imageHosts);
      return {
        parts: pieces,
        get tail() {
          const isEmpty = pieces.every((piece) => piece === "");
          return view.outcome ? undefined : renderTail(view, isEmpty, context.show, context.now);
        },
        get close() {
          return close() || undefined;
        },
        get carry() {
          return carry();
        },
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
}

/** For an operator who has named no hosts. */
export const renderer = createRenderer({ imageHosts: [] });
