import { createRefusal, type HttpAnswer } from "./http-answer.ts";
import {
  booleanOr,
  idOf,
  isObject,
  type JsonObject,
  listOf,
  numberOr,
  objectOr,
  textOr,
  type Unread,
} from "./json.ts";
import { type ProtocolMessage, parseMessage, parseUser, type User } from "./message.ts";

/**
 * A question to the bot. Field names are the wire's. Ids may be empty, longer than documented, or
 * hold any character: make one safe before it becomes a path, and never let two requests meet
 * because both ids are empty. The keys `api_key` and `access_key` are deliberately not read, so
 * that a request in a log holds no secret.
 */
export type QueryRequest = {
  type: "query";
  /** The sender's protocol version, `X.Y`. Nothing should depend on it. */
  version: string;
  /** The transcript, newest last. Messages of unknown role or content type are left out. */
  query: readonly ProtocolMessage[];
  user_id: string;
  /** A new one when the user clears the context. */
  conversation_id: string;
  /** Id of the message that the bot is about to write. */
  message_id: string;
  metadata: string;
  language_code: string;
  /** Needed for Poe's cost API. */
  bot_query_id: string;
  users: readonly User[];
  temperature: number | null;
  skip_system_prompt: boolean;
  logit_bias: JsonObject;
  stop_sequences: readonly string[];
  adopt_current_bot_name: boolean | null;
  /** Tools are passed through as they came: their shapes grow faster than the protocol. */
  tools: readonly JsonObject[] | null;
  tool_calls: readonly JsonObject[] | null;
  tool_results: readonly JsonObject[] | null;
  /** Microseconds since 1970. */
  query_creation_time: number | null;
  extra_params: JsonObject | null;
};

export type SettingsRequest = { type: "settings"; version: string };

/** Deprecated by Poe in favour of reactions. `feedback_type` is `like`, `dislike` or newer. */
export type ReportFeedbackRequest = {
  type: "report_feedback";
  version: string;
  message_id: string;
  user_id: string;
  conversation_id: string;
  feedback_type: string;
};

export type ReportReactionRequest = {
  type: "report_reaction";
  version: string;
  message_id: string;
  user_id: string;
  conversation_id: string;
  /** A word (`like`, `heart`, …) or an emoji. Empty: nothing was reported, answer and drop it. */
  reaction: string;
  action: "added" | "removed";
};

export type ReportErrorRequest = {
  type: "report_error";
  version: string;
  message: string;
  metadata: JsonObject;
};

/** A well-formed request of a type that this protocol does not have (501). */
export type UnknownRequest = { type: "unknown"; name: string; refusal: HttpAnswer };

/** Not a request at all (400). */
export type MalformedRequest = { type: "malformed"; refusal: HttpAnswer };

export type PoeRequest =
  | QueryRequest
  | SettingsRequest
  | ReportFeedbackRequest
  | ReportReactionRequest
  | ReportErrorRequest
  | UnknownRequest
  | MalformedRequest;

/**
 * Reads a request. Never throws: what gets no further is a value with the HTTP answer in
 * `refusal` (`if ("refusal" in request)`). Unknown keys are ignored, an optional key that is null
 * or of the wrong type reads as absent, and nothing but the `type` can fail a request; a query
 * that cannot be answered is still answered 200 (see `findQueryProblem`).
 *
 * @param body - The body as text, or as the value that `JSON.parse` made of it.
 * @see https://creator.poe.com/docs/poe-protocol-specification
 */
export function parsePoeRequest(body: unknown): PoeRequest {
  let request = body;
  if (typeof body === "string") {
    try {
      request = JSON.parse(body);
    } catch {
      return malformed("The body is not JSON");
    }
  }
  if (!isObject(request)) return malformed("The body is not a JSON object");
  const type = textOr(request["type"], "");
  switch (type) {
    case "query":
      return parseQuery(request);
    case "settings":
      return { type, version: idOf(request["version"]) };
    case "report_feedback":
      return {
        type,
        ...parseReport(request),
        feedback_type: textOr(request["feedback_type"], ""),
      };
    case "report_reaction":
      return { type, ...parseReport(request), ...parseReaction(request) };
    case "report_error":
      return {
        type,
        version: idOf(request["version"]),
        message: textOr(request["message"], ""),
        metadata: objectOr(request["metadata"], {}),
      };
    case "":
      return malformed("The request has no type");
    default:
      return {
        type: "unknown",
        name: type,
        refusal: createRefusal(501, "Unsupported request type"),
      };
  }
}

/** The message that a query asks to answer: the last one of role `user`. */
export function lastUserMessage(request: QueryRequest): ProtocolMessage | undefined {
  return request.query.findLast((message) => message.role === "user");
}

/**
 * Why a query has nothing to answer, or `undefined`. Poe shows any HTTP status but 200 as a
 * broken bot, so this belongs into an `error` event.
 */
export function findQueryProblem(
  request: QueryRequest,
): "no-user-message" | "empty-user-message" | undefined {
  const message = lastUserMessage(request);
  if (message === undefined) return "no-user-message";
  if (message.content === "" && message.attachments.length === 0) return "empty-user-message";
  return undefined;
}

function parseQuery(request: Unread): QueryRequest {
  return {
    type: "query",
    version: idOf(request["version"]),
    query: listOf(request["query"], (message) => parseMessage(message)),
    user_id: idOf(request["user_id"]),
    conversation_id: idOf(request["conversation_id"]),
    message_id: idOf(request["message_id"]),
    metadata: textOr(request["metadata"], ""),
    language_code: textOr(request["language_code"], "en"),
    bot_query_id: textOr(request["bot_query_id"], ""),
    users: listOf(request["users"], parseUser),
    temperature: numberOr(request["temperature"], null),
    skip_system_prompt: booleanOr(request["skip_system_prompt"], false),
    logit_bias: objectOr(request["logit_bias"], {}),
    stop_sequences: listOf(request["stop_sequences"], (text) => textOr(text, undefined)),
    adopt_current_bot_name: booleanOr(request["adopt_current_bot_name"], null),
    tools: parseTools(request["tools"]),
    tool_calls: parseTools(request["tool_calls"]),
    tool_results: parseTools(request["tool_results"]),
    query_creation_time: numberOr(request["query_creation_time"], null),
    extra_params: objectOr(request["extra_params"], null),
  };
}

function parseTools(value: unknown): readonly JsonObject[] | null {
  return Array.isArray(value) ? listOf(value, (tool) => objectOr(tool, undefined)) : null;
}

function parseReport(request: Unread) {
  return {
    version: idOf(request["version"]),
    message_id: idOf(request["message_id"]),
    user_id: idOf(request["user_id"]),
    conversation_id: idOf(request["conversation_id"]),
  };
}

/** Poe has sent two shapes: a sign in front of the reaction, and a key of its own, which wins. */
function parseReaction(request: Unread): Pick<ReportReactionRequest, "reaction" | "action"> {
  const reaction = textOr(request["reaction"], "");
  const action = request["action"];
  if (action === "added" || action === "removed") return { reaction, action };
  if (reaction.startsWith("-")) return { reaction: reaction.slice(1), action: "removed" };
  return { reaction: reaction.replace(/^\+/, ""), action: "added" };
}

function malformed(detail: string): MalformedRequest {
  return { type: "malformed", refusal: createRefusal(400, detail) };
}
