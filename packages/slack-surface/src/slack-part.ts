import type { Display, MarkupRenderer, PermissionAsk, SentFile, TurnView } from "@acp-kit/router";
import type { TaskCard } from "./publish/cards.ts";
import type { FindEmphasis } from "./publish/emphasis.ts";

/** What an app's renderer makes of a turn. */
export type SlackPart =
  /** Of parts in a row the texts join to Markdown that only grows. A `tail` is plain text instead. */
  | { readonly kind: "text"; readonly markdown: string }
  /** Ends the stretch of text before it, and is shown as a message of its own. */
  | { readonly kind: "question"; readonly ask: PermissionAsk }
  /** Ends the stretch of text before it as well. What comes behind it waits until it is to be seen. */
  | { readonly kind: "file"; readonly file: SentFile };

/** All that an app for Slack must write. */
export type SlackRenderer = MarkupRenderer<SlackPart> & {
  /** Tool calls, and the steps of a plan, for streams; oldest first. Those have no lines in the text then. */
  cards(view: TurnView, show: Display): readonly TaskCard[];
  /**
   * Markdown in the platform's older markup, for where no `markdown` block is taken: as many messages as its text fills, each
   * of at most 3,900 code points, in which nobody is mentioned.
   */
  mrkdwn(markdown: string): readonly string[];
  /** Where emphasis and code begin and end, so that no message ends or begins between their marks. */
  readonly findEmphasis: FindEmphasis;
};
