import type { SlackBot } from "@acp-kit/relay";
import { describeFile } from "../files/describe-file.ts";
import { decodeSlackText, type SlackNames } from "./decode-text.ts";
import { callbackSchema, eventSchema, type WireEvent, type WireMessage } from "./event-schema.ts";
import type { Heard, HeardMessage, IgnoreReason, SlackIdentity, SlackPlace } from "./heard.ts";
import { isHeardThere } from "./is-heard-there.ts";
import { type HeardBots, judgeAuthor } from "./judge-author.ts";
import { findMentions, hasMention, openingMention, stripOpeningMention } from "./mention.ts";

export type ParseEventOptions = {
  readonly identity: SlackIdentity;
  /** Bots of other apps that may be heard. Nobody's by default. */
  readonly bots?: HeardBots;
  readonly names?: SlackNames;
  /** All of them by default. */
  readonly features?: SlackBot["features"];
};

/** Subtypes that are messages like any other. */
const spoken: ReadonlySet<string | undefined> = new Set([
  undefined,
  "bot_message",
  "file_share",
  "thread_broadcast",
]);

/** Whether a message is somebody's words, and not the platform's news of something. */
export function isSpoken(subtype: string | undefined): boolean {
  return spoken.has(subtype);
}

/** What an `event_callback` means, from whichever transport. Pure; never throws. */
export function parseSlackEvent(payload: unknown, options: ParseEventOptions): Heard {
  const parsed = callbackSchema.safeParse(payload);
  if (!parsed.success) return ignored("malformed");
  const { identity } = options;
  const { event, authorizations, ...callback } = parsed.data;
  if (callback.api_app_id !== identity.app) return ignored("foreign-app");
  // In a shared channel `team_id` may be the partner's.
  const team = authorizations?.[0]?.team_id ?? callback.context_team_id ?? callback.team_id;
  if (team !== identity.team) return ignored("foreign-team");
  const isShared = callback.is_ext_shared_channel;
  switch (event.type) {
    case "message":
    case "app_mention":
      return parseMessageEvent(event, isShared, options);
    case "reaction_added":
    case "reaction_removed":
      return parseReaction(event, identity);
    case "agent_session_stopped":
      return parseStop(event);
    case "app_home_opened":
      return event.user === undefined
        ? ignored("malformed")
        : { kind: "home", user: event.user, tab: event.tab ?? "home" };
    case "app_uninstalled":
    case "tokens_revoked":
      return { kind: "removed" };
    default:
      return ignored("unknown-event");
  }
}

/** The router's key of a message: what both a `message` and an `app_mention` of it have in common. */
export function formatMessageKey(team: string, channel: string, ts: string): string {
  return `${team}/${channel}/${ts}`;
}

/** The `ts` of the message that a turn's key names, also one of a changed message; undefined where it names none. Pure. */
export function findTs(key: string): string | undefined {
  return /\/(\d+\.\d+)/.exec(key)?.[1];
}

function parseMessageEvent(event: WireEvent, isShared: boolean, options: ParseEventOptions): Heard {
  const { channel, message, previous_message: previous } = event;
  if (channel === undefined) return ignored("malformed");
  const isDeletion = event.subtype === "message_deleted" || message?.subtype === "tombstone";
  // What is kept of a message that is taken back goes in any case.
  if (!isDeletion && options.features && !isHeardThere(event, options.features)) {
    return ignored("feature-off");
  }
  switch (event.subtype) {
    case "message_changed": {
      if (message?.subtype === "tombstone") {
        return parseDeletion(message.ts, event, isShared, options);
      }
      if (!message || !previous) return ignored("malformed");
      // Unfurled links, counted replies and our own edits come this way as well.
      if (message.text === previous.text) return ignored("unchanged");
      const heard = parseMessage(message, event, isShared, options);
      if (heard.kind === "ignored") return heard;
      return {
        kind: "edit",
        message: heard,
        before: decodeSlackText(previous.text, options.names),
        wasAddressed:
          heard.place.kind === "direct" || hasMention(previous.text, options.identity.botUser),
        version: message.edited?.ts ?? event.ts ?? "",
      };
    }
    case "message_deleted":
      return parseDeletion(event.deleted_ts ?? previous?.ts, event, isShared, options);
    default:
      // An edit that adds a mention: the message's own event tells of it.
      if (event.type === "app_mention" && event.edited) return ignored("edited-mention");
      return parseMessage(event, event, isShared, options);
  }
}

/**
 * What has replies is not deleted but changed to a stone, and deleted once they are gone as well.
 *
 * @see https://github.com/42wim/matterbridge/issues/600
 */
function parseDeletion(
  ts: string | undefined,
  event: WireEvent,
  isShared: boolean,
  { identity, bots = noBots }: ParseEventOptions,
): Heard {
  const { channel, previous_message: previous } = event;
  if (ts === undefined || channel === undefined) return ignored("malformed");
  if (previous) {
    const reason = judgeAuthor(previous, identity, bots);
    if (reason !== undefined) return ignored(reason);
  }
  const place = readPlace({ ...previous, ts }, event, isShared, identity);
  return { kind: "deletion", key: formatMessageKey(identity.team, channel, ts), place };
}

const noBots: HeardBots = new Set();

/** A message as a history has it, which names neither its channel nor its kind. Pure. */
export function parseHistoryMessage(
  message: WireMessage,
  channel: string,
  options: ParseEventOptions,
): HeardMessage | { readonly kind: "ignored"; readonly reason: IgnoreReason } {
  return parseMessage(message, eventSchema.parse({ type: "message", channel }), false, options);
}

function parseMessage(
  message: WireMessage,
  event: WireEvent,
  isShared: boolean,
  options: ParseEventOptions,
): HeardMessage | { readonly kind: "ignored"; readonly reason: IgnoreReason } {
  const { identity, names } = options;
  const reason = judgeAuthor(message, identity, options.bots ?? noBots);
  if (reason !== undefined) return { kind: "ignored", reason };
  if (!isSpoken(message.subtype)) return { kind: "ignored", reason: "subtype" };
  const { ts, text } = message;
  if (ts === undefined) return { kind: "ignored", reason: "malformed" };
  const place = readPlace(message, event, isShared, identity);
  const opening = openingMention(text);
  return {
    kind: "message",
    key: formatMessageKey(identity.team, place.channel, ts),
    ts,
    place,
    author: {
      user: message.user ?? message.bot_id ?? "",
      team: message.user_team ?? message.team ?? identity.team,
      ...(message.bot_id !== undefined && { bot: message.bot_id }),
    },
    text: decodeSlackText(stripOpeningMention(text, identity.botUser), names).trim(),
    mentions: findMentions(text).filter((user) => user !== identity.botUser),
    isAddressed: place.kind === "direct" || hasMention(text, identity.botUser),
    opensWithOther: opening !== undefined && opening !== identity.botUser,
    files: message.files.map(describeFile),
  };
}

function readPlace(
  { ts = "", thread_ts: thread }: Partial<Pick<WireMessage, "ts" | "thread_ts">>,
  { channel = "", channel_type: type }: WireEvent,
  isShared: boolean,
  { team }: SlackIdentity,
): SlackPlace {
  const kind =
    type === "im" || channel.startsWith("D") ? "direct" : type === "mpim" ? "group" : "channel";
  const isInThread = thread !== undefined && thread !== ts;
  return { team, channel, kind, thread: thread ?? ts, isInThread, isShared };
}

function parseReaction(event: WireEvent, identity: SlackIdentity): Heard {
  const { user, reaction, item } = event;
  if (user === undefined || reaction === undefined) return ignored("malformed");
  if (item?.channel === undefined || item.ts === undefined) return ignored("malformed");
  if (user === identity.botUser) return ignored("own");
  return {
    kind: "reaction",
    action: event.type === "reaction_added" ? "added" : "removed",
    key: formatMessageKey(identity.team, item.channel, item.ts),
    channel: item.channel,
    ts: item.ts,
    user,
    author: event.item_user,
    reaction,
  };
}

function parseStop({ user, channel, channel_id, thread_ts: thread }: WireEvent): Heard {
  const place = channel ?? channel_id;
  if (user === undefined || place === undefined || thread === undefined)
    return ignored("malformed");
  return { kind: "stop", channel: place, thread, user };
}

function ignored(reason: IgnoreReason): Heard {
  return { kind: "ignored", reason };
}
