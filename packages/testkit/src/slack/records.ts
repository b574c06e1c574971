import type { SlackBlock } from "./blocks.ts";

export type SlackUser = {
  readonly id: string;
  readonly name: string;
  /** Another team than the workspace's own is a partner's, who comes by a shared channel. */
  readonly team: string;
  /** The organisation of their workspace, where it belongs to one. */
  readonly enterprise?: string;
  readonly isBot?: boolean;
  readonly isRestricted?: boolean;
  readonly isUltraRestricted?: boolean;
  readonly isDeleted?: boolean;
};

export type SlackChannel = {
  readonly id: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im" | "mpim";
  readonly members: Set<string>;
  isArchived?: boolean;
  /** Also has members of other teams. */
  isShared?: boolean;
  /** Where streams are refused with `channel_type_not_supported`. */
  refusesStreams?: boolean;
};

export type SlackTask = {
  readonly id: string;
  title: string;
  status: "pending" | "in_progress" | "complete" | "error";
  /** Both grow by what each update brings. */
  details: string;
  output: string;
};

/** What a stream has brought, in its order. */
export type StreamPart =
  | { readonly kind: "text"; text: string }
  | { readonly kind: "task"; readonly task: SlackTask }
  | { readonly kind: "blocks"; readonly blocks: readonly SlackBlock[] };

export type SlackStream = {
  state: "in_progress" | "completed" | "errored" | "stopped";
  mode: "text" | "chunks" | undefined;
  readonly startedAt: number;
  touchedAt: number;
  readonly recipient: string | undefined;
  readonly parts: StreamPart[];
  plan: string | undefined;
  /** What those see who are not the recipient, until it ends. */
  firstSight: string | undefined;
};

export type SlackFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  readonly bytes: Uint8Array;
  readonly user: string;
  readonly snippetType?: string;
  /** `hosted` or `snippet` by default; such as `quip` for a canvas. */
  readonly mode?: string;
  /** It is kept elsewhere, and only listed here. */
  readonly externalUrl?: string;
  /** The platform's own version: a thumbnail of a picture, a PDF of anything else. */
  readonly rendition?: { readonly bytes: Uint8Array; readonly mimetype: string };
  /** What the platform heard in a clip. */
  readonly transcript?: string;
  /** Channels where it was shared; the platform tells this late. */
  readonly shares: { readonly channel: string; readonly ts: string }[];
};

export type SlackMessage = {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  /** The person, or the app's bot user. */
  readonly user: string;
  readonly isFromApp: boolean;
  /** Some other app's post, by its bot. */
  readonly botId?: string;
  readonly appId?: string;
  readonly subtype?: string;
  text: string;
  blocks: readonly SlackBlock[];
  metadata: Readonly<Record<string, unknown>> | undefined;
  readonly files: readonly SlackFile[];
  /** Who put each reaction. */
  readonly reactions: Map<string, Set<string>>;
  readonly clientId: string | undefined;
  editedAt?: string;
  isDeleted?: boolean;
  stream?: SlackStream;
  /** The only person who sees it. */
  readonly onlyFor?: string;
};

/** A ping on somebody's phone. */
export type SlackNotice = {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly why: "direct" | "mention" | "broadcast" | "thread";
  readonly text: string;
};

export type SlackSession = {
  status: "active" | "processing" | "suspended" | "closed";
  /** Milliseconds since the epoch. */
  since: number;
  title?: string;
  initiator?: string;
};

/** A thread's free status. */
export type SlackStatus = {
  readonly text: string;
  readonly loading: readonly string[];
  readonly since: number;
};

export type SlackView = {
  readonly id: string;
  readonly kind: "modal" | "home";
  readonly user: string;
  hash: string;
  view: Readonly<Record<string, unknown>>;
  state: "open" | "closed";
  errors?: Readonly<Record<string, string>>;
};
