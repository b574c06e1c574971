export { Conn } from "./conn.ts";
export type {
  Awaitable,
  ConnCounters,
  ConnOptions,
  NotificationHandler,
  NotifyContext,
  RequestContext,
  RequestHandler,
  RequestOptions,
} from "./conn-options.ts";
export {
  type AgentExit,
  type AgentPhase,
  ErrorCode,
  isSessionNotFound,
  RpcError,
  WireError,
  type WireErrorCode,
  type WireErrorOptions,
} from "./errors.ts";
export type { ByteIo, ConnIo, MessageIo } from "./io.ts";
export { DEFAULT_MAX_LINE_BYTES, LineSplitter, type LineSplitterOptions } from "./line-splitter.ts";
export type { MessageId } from "./message.ts";
