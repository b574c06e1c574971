import type { JsonObject } from "./json.ts";
import { idOf, isObject, listOf, MAX_NESTING, numberOr, objectOr, textOr } from "./json.ts";

export const ROLES = ["system", "user", "bot", "tool"] as const;
export type Role = (typeof ROLES)[number];

export const CONTENT_TYPES = ["text/markdown", "text/plain"] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

export type Attachment = {
  /** Never empty; an attachment without one is left out. Poe keeps it valid for ten minutes. */
  url: string;
  content_type: string;
  name: string;
  inline_ref: string | null;
  /** The text of a text file or PDF, where the settings ask Poe to expand attachments. */
  parsed_content: string | null;
};

/** `type` is `like` or `dislike` today; more may come. */
export type MessageFeedback = { type: string; reason: string | null };
export type MessageReaction = { user_id: string; reaction: string };
export type Sender = { id: string | null; name: string | null };
export type User = { id: string; name: string | null };

/** One message of the transcript. Names are the wire's; an absent key has the protocol's default. */
export type ProtocolMessage = {
  role: Role;
  content: string;
  content_type: ContentType;
  /** May be empty, may repeat, and has no shape to rely on. */
  message_id: string;
  /** Whatever the sender put there, declared by the bot or not. Own `__proto__` keys are dropped. */
  parameters: JsonObject;
  attachments: readonly Attachment[];
  feedback: readonly MessageFeedback[];
  reactions: readonly MessageReaction[];
  /** Microseconds since 1970; 0 when Poe does not say. */
  timestamp: number;
  /** What this bot stored on its own message with a `data` event. */
  metadata: string | null;
  message_type: string | null;
  sender: Sender | null;
  /** Deprecated by Poe in favour of `sender`. */
  sender_id: string | null;
  /** The message that this one replies to, at most 128 levels deep. */
  referenced_message: ProtocolMessage | null;
};

/**
 * Reads one message, or `undefined` for what the protocol says to ignore: an unknown role or
 * content type, and anything that is not an object.
 */
export function parseMessage(value: unknown, depth = 0): ProtocolMessage | undefined {
  if (!isObject(value) || depth > MAX_NESTING) return undefined;
  const role = ROLES.find((known) => known === value["role"]);
  const contentType = parseContentType(value["content_type"]);
  if (role === undefined || contentType === undefined) return undefined;
  return {
    role,
    // Left out, a newest message without readable content would make an older one the newest,
    // and the bot would answer that one again.
    content: textOr(value["content"], ""),
    content_type: contentType,
    message_id: idOf(value["message_id"]),
    parameters: objectOr(value["parameters"], {}),
    attachments: listOf(value["attachments"], parseAttachment),
    feedback: listOf(value["feedback"], parseFeedback),
    reactions: listOf(value["reactions"], parseReaction),
    timestamp: numberOr(value["timestamp"], 0),
    metadata: textOr(value["metadata"], null),
    message_type: textOr(value["message_type"], null),
    sender: parseSender(value["sender"]),
    sender_id: textOr(value["sender_id"], null),
    referenced_message: parseMessage(value["referenced_message"], depth + 1) ?? null,
  };
}

export function parseUser(value: unknown): User | undefined {
  if (!isObject(value)) return undefined;
  return { id: idOf(value["id"]), name: textOr(value["name"], null) };
}

function parseContentType(value: unknown): ContentType | undefined {
  if (typeof value !== "string") return "text/markdown";
  return CONTENT_TYPES.find((known) => known === value);
}

function parseAttachment(value: unknown): Attachment | undefined {
  if (!isObject(value)) return undefined;
  const url = textOr(value["url"], "");
  if (url === "") return undefined;
  return {
    url,
    content_type: textOr(value["content_type"], "application/octet-stream"),
    name: textOr(value["name"], ""),
    inline_ref: textOr(value["inline_ref"], null),
    parsed_content: textOr(value["parsed_content"], null),
  };
}

function parseFeedback(value: unknown): MessageFeedback | undefined {
  if (!isObject(value) || typeof value["type"] !== "string") return undefined;
  return { type: value["type"], reason: textOr(value["reason"], null) };
}

function parseReaction(value: unknown): MessageReaction | undefined {
  if (!isObject(value) || typeof value["reaction"] !== "string") return undefined;
  return { user_id: idOf(value["user_id"]), reaction: value["reaction"] };
}

function parseSender(value: unknown): Sender | null {
  if (!isObject(value)) return null;
  return { id: idOf(value["id"]) || null, name: textOr(value["name"], null) };
}
