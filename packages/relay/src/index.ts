export {
  type Access,
  type AccessRule,
  type Admission,
  createAccess,
  type Person,
} from "./access.ts";
export type { RelayApp } from "./app.ts";
export { runRelay } from "./cli/run-relay.ts";
export type { Streams } from "./cli/streams.ts";
export { type LoadedConfig, readConfig } from "./config/read-config.ts";
export type {
  AgentConfig,
  Bot,
  Config,
  WorkspaceConfig,
} from "./config/schema.ts";
export type { Env } from "./config/secret.ts";
export {
  type ConversationKey,
  formatConversationKey,
  parseConversationKey,
} from "./conversation-key.ts";
export { ConfigError, RelayError, type RelayErrorCode } from "./errors.ts";
export {
  createLog,
  formatUrlForLog,
  hashId,
  type Log,
  type LogLevel,
  type LogOptions,
} from "./log.ts";
export {
  FLUSH_PERIOD_MS,
  idlePacer,
  nextFlush,
  type PacerEvent,
  type PacerState,
  reducePacer,
} from "./pacer.ts";
export { MIN_SECRET_LENGTH, Redactor } from "./redactor.ts";
export type { CreateSurface, RelaySurface, SurfaceBot, SurfaceContext } from "./surface.ts";
export { formatForTerminal } from "./terminal-text.ts";
