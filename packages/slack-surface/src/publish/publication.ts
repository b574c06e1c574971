import type { TaskCard } from "./cards.ts";

/** What is to be seen of a turn. */
export type Publication = {
  /** Markdown that only grows. */
  readonly text: string;
  /** What may vanish again, below the text. */
  readonly tail?: string;
  /** Tool calls, where a publisher has cards for them. */
  readonly cards?: readonly TaskCard[];
  /** The text does not go on for now, as when a tool runs: all of it is to be seen. */
  readonly isResting?: boolean;
};

/** A message that is finished, and up to where in the text it went. */
export type SealedMessage = { readonly ts: string; readonly to: number };

/** The message that still grows. */
export type OpenMessage = {
  readonly ts: string;
  /** Where in the text it begins. */
  readonly from: number;
  /** What it shows: its text, without which nothing was confirmed, and with what below it. */
  readonly body: string;
  readonly tail: string;
  /** Up to where in the text it shows it. */
  readonly to: number;
  /** It takes no edit any more, but shows what has to vanish. */
  readonly isFrozen?: true;
};

/** What was confirmed to be seen. Is kept between processes. */
export type PublishedState = {
  readonly sealed: readonly SealedMessage[];
  readonly open: OpenMessage | undefined;
  /** Where in the text the message begins that is being posted: it may be there, though nothing says so. */
  readonly posting?: number;
  readonly stream?: OpenStream;
  /** A stream is being started: an empty one may be there, though nothing says so. */
  readonly starting?: true;
};

/** The stream that still grows. */
export type OpenStream = {
  readonly ts: string;
  /** Where in the text it begins. */
  readonly from: number;
  /** Up to where in the text it is confirmed to show it. */
  readonly to: number;
  /** More is on its way, or was: how much it shows is not known. */
  readonly isDoubtful?: true;
  /** What was open in its text is closed: it takes no more. */
  readonly isClosed?: true;
  /** Cards and stretches of text that it shows. */
  readonly blocks?: number;
  /** Milliseconds since the epoch: its start, and its last text. */
  readonly startedAt: number;
  readonly touchedAt: number;
};

export const nothingPublished: PublishedState = { sealed: [], open: undefined };

/** How much a message may hold, and in which form. */
export type MessageForm = {
  readonly kind: "markdown" | "plain";
  readonly maxCodePoints: number;
};

/** Slack takes 12,000 in a `markdown` block, and 4,000 in the text of an edit. */
export const MARKDOWN_FORM: MessageForm = { kind: "markdown", maxCodePoints: 11_500 };
export const PLAIN_FORM: MessageForm = { kind: "plain", maxCodePoints: 3_000 };

/** Markdown in the platform's older markup, as so many messages. */
export type RenderMrkdwn = (markdown: string) => readonly string[];

/** What to do next so that people see what they should; nothing when they do. */
export type PublishStep =
  | {
      readonly kind: "post";
      readonly from: number;
      readonly to: number;
      readonly body: string;
      readonly tail: string;
    }
  | {
      readonly kind: "edit";
      readonly ts: string;
      readonly to: number;
      readonly body: string;
      readonly tail: string;
    }
  | { readonly kind: "delete"; readonly ts: string };
