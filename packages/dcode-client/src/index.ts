export { type DaemonAddress, socketPaths } from "./address.ts";
export { ClientError, type ClientErrorCode } from "./client-error.ts";
export { type CallOptions, DcodeClient, type SettleOptions } from "./dcode-client.ts";
export type { EventStreamOptions, RetryOptions } from "./event-stream.ts";
export {
  createSessionState,
  reduceSession,
  type SessionState,
  type SessionStep,
  type TrackedApproval,
  type TrackedCall,
  type TrackedTurn,
} from "./session-state.ts";
