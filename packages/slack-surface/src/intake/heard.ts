/** Who this app is, in the workspace that it was installed to. */
export type SlackIdentity = {
  readonly team: string;
  /** The organisation that the workspace belongs to, where the platform names one. */
  readonly enterprise?: string;
  readonly app: string;
  /** Its bot user, as people mention it. */
  readonly botUser: string;
  readonly botId: string;
};

/** Where something was said. */
export type SlackPlace = {
  readonly team: string;
  readonly channel: string;
  readonly kind: "channel" | "direct" | "group";
  /** The `ts` of the thread's first message: its own for a message that is in no thread. */
  readonly thread: string;
  readonly isInThread: boolean;
  /** Members of other workspaces read along. */
  readonly isShared: boolean;
};

/** A file of a message, as far as its event tells. */
export type SlackFileReference = {
  readonly id: string;
  /** Empty where it has to be asked for, like the type. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Nothing where it has to be asked for: the file comes from another workspace, or is none that can be fetched. */
  readonly url: string | undefined;
  /** Of the platform's own version: a picture, or a PDF. */
  readonly renditionUrl?: string;
  /** What the platform heard in a clip. */
  readonly transcript?: string;
  /** Why there is nothing to fetch, in words for people. */
  readonly unavailable?: string;
};

export type HeardMessage = {
  readonly kind: "message";
  /** The same for each of the events by which the platform tells of one message. */
  readonly key: string;
  readonly ts: string;
  readonly place: SlackPlace;
  readonly author: SlackAuthor;
  /** Decoded, without the mention of the bot that it opened with. */
  readonly text: string;
  /** Others whom it mentions, each once. */
  readonly mentions: readonly string[];
  /** The bot is mentioned, or is the only one who reads it. */
  readonly isAddressed: boolean;
  /** Opens with the mention of somebody who is not the bot. */
  readonly opensWithOther: boolean;
  readonly files: readonly SlackFileReference[];
};

export type SlackAuthor = {
  readonly user: string;
  /** Their own workspace. */
  readonly team: string;
  /** Set for what another app's bot has posted. */
  readonly bot?: string;
};

/** Why something is nobody's business here. Never a reason to keep silent about in the log. */
export type IgnoreReason =
  | "malformed"
  | "foreign-app"
  | "foreign-team"
  | "own"
  | "bot"
  | "no-author"
  | "subtype"
  | "unchanged"
  | "edited-mention"
  | "feature-off"
  | "unknown-event";

/** What an event of the platform means. */
export type Heard =
  | HeardMessage
  | {
      readonly kind: "edit";
      readonly message: HeardMessage;
      readonly before: string;
      /** It mentioned the bot before. */
      readonly wasAddressed: boolean;
      /** Names this version of the message. */
      readonly version: string;
    }
  | { readonly kind: "deletion"; readonly key: string; readonly place: SlackPlace }
  | {
      readonly kind: "reaction";
      readonly action: "added" | "removed";
      readonly key: string;
      readonly channel: string;
      readonly ts: string;
      readonly user: string;
      /** Whose message it is. */
      readonly author: string | undefined;
      readonly reaction: string;
    }
  /** The platform's own Stop. */
  | {
      readonly kind: "stop";
      readonly channel: string;
      readonly thread: string;
      readonly user: string;
    }
  | { readonly kind: "home"; readonly user: string; readonly tab: string }
  | { readonly kind: "removed" }
  | { readonly kind: "ignored"; readonly reason: IgnoreReason };
