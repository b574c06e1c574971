export {
  ACCESS_KEY_LENGTH,
  checkBearer,
  isAccessKey,
  UNAUTHORIZED,
} from "./access.ts";
export { POE_TIMEOUTS, type PoeClientOptions, type PoeTimeouts } from "./account.ts";
export { EMPTY_BUDGET, type PoeBudget, type PoeRoom, reduceBudget, roomLeft } from "./budget.ts";
export { createPoeClient, type PoeClient } from "./client.ts";
export type {
  AspectRatio,
  ConditionalControls,
  Control,
  ControlCondition,
  ControlOperand,
  ControlSection,
  ControlTab,
  Divider,
  DropDown,
  ParameterControl,
  ParameterControls,
  PlainControl,
  Slider,
  TextArea,
  TextField,
  ToggleSwitch,
} from "./controls.ts";
export type { CostItem } from "./cost.ts";
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
export type { HttpAnswer } from "./http-answer.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { MAX_FILE_BYTES, MAX_REQUEST_BYTES, POE_LIMITS, type PoeLimits } from "./limits.ts";
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
  formatAnswer,
  type IncomingRequest,
  type RefusedRequest,
  readPoeRequest,
} from "./read-request.ts";
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
export {
  createParameterControls,
  createSettings,
  type SettingsOptions,
  type SettingsResponse,
} from "./settings.ts";
export type { SettingsEcho } from "./settings-sync.ts";
export { assertDone, type Encoded, encodePoeEvent, type StreamState } from "./stream.ts";
export type { FileToUpload } from "./upload.ts";
export { createPoeWriter, type PoeAnswer, type PoeOpening } from "./writer.ts";
