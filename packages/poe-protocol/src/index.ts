export {
  ACCESS_KEY_LENGTH,
  checkBearer,
  isAccessKey,
  type Refusal,
  UNAUTHORIZED,
} from "./access.ts";
export { EMPTY_BUDGET, type PoeBudget, type PoeRoom, reduceBudget, roomLeft } from "./budget.ts";
export { PoeProtocolError, type PoeProtocolErrorCode } from "./errors.ts";
export {
  type ContentEvent,
  type DataEvent,
  type DoneEvent,
  type ErrorEvent,
  type FileEvent,
  type JsonEvent,
  KEEP_ALIVE,
  type MetaEvent,
  POE_ERROR_TYPES,
  type PoeComment,
  type PoeErrorType,
  type PoeEvent,
  PREAMBLE,
  type ReplaceResponseEvent,
  type SuggestedReplyEvent,
  type TextEvent,
} from "./events.ts";
export { STREAM_HEADERS } from "./headers.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { MAX_REQUEST_BYTES, POE_LIMITS, type PoeLimits } from "./limits.ts";
export type {
  Attachment,
  ContentType,
  MessageFeedback,
  MessageReaction,
  ProtocolMessage,
  Role,
  Sender,
  User,
} from "./message.ts";
export {
  findQueryProblem,
  lastUserMessage,
  type MalformedRequest,
  type PoeRequest,
  parsePoeRequest,
  type QueryRequest,
  type ReportErrorRequest,
  type ReportFeedbackRequest,
  type ReportReactionRequest,
  type SettingsRequest,
  type UnknownRequest,
} from "./request.ts";
export { createSettings, type SettingsOptions, type SettingsResponse } from "./settings.ts";
export { assertDone, type Encoded, encodePoeEvent, type StreamState } from "./stream.ts";
export { createPoeWriter, type PoeAnswer, type PoeOpening } from "./writer.ts";
