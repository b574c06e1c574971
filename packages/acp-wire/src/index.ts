export type { StopTimings } from "./agent-child.ts";
export { type AgentEnvOptions, createAgentEnv } from "./agent-env.ts";
export type { AgentFiles, AgentOptions } from "./agent-options.ts";
export { AgentProcess } from "./agent-process.ts";
export { AgentSupervisor, type SupervisorOptions } from "./agent-supervisor.ts";
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
export type { SilenceLimits } from "./liveness.ts";
export type { LoginState, LoginStep } from "./login.ts";
export { mapFileLinks } from "./map-file-links.ts";
export type { MessageId } from "./message.ts";
export { PathMap, type PathMapping } from "./path-map.ts";
export { PROTOCOL_VERSION } from "./protocol-version.ts";
export type {
  AgentSession,
  Factory,
  PromptOutcome,
  SessionParams,
  Steer,
  TurnEnd,
} from "./serve/agent-session.ts";
export { clipText } from "./serve/clip-text.ts";
export { createFileStore } from "./serve/file-store.ts";
export {
  type McpEnv,
  type McpServerSpec,
  parseMcpEnv,
  parseMcpServers,
} from "./serve/mcp-server.ts";
export { flattenPrompt, titleOf } from "./serve/prompt-text.ts";
export type { PromptTurn } from "./serve/prompt-turn.ts";
export { serveAgent } from "./serve/serve-agent.ts";
export type { AgentAuth, ServeAgentOptions, ServedCapabilities } from "./serve/serve-options.ts";
export { isSessionId } from "./serve/session-id.ts";
export type { SessionSink, Usage } from "./serve/session-sink.ts";
export {
  createMemoryStore,
  type SessionSave,
  type SessionStore,
  type StoredSession,
} from "./serve/session-store.ts";
export { toolKindFor } from "./serve/tool-kind.ts";
export type { SessionClient } from "./session-clients.ts";
export { offersSteering, STEER_METHOD, STEERING } from "./steering.ts";
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  KnownContentBlock,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from "./types/content.ts";
export type {
  AgentAuthMethod,
  AgentCapabilities,
  AgentInfo,
  AuthMethod,
  ClientCapabilities,
  EmptyCapability,
  Implementation,
  InitializeParams,
  InitializeResult,
  KnownAuthMethod,
  McpCapabilities,
  PromptCapabilities,
  SessionCapabilities,
  TerminalAuthMethod,
} from "./types/initialize.ts";
export type { Meta, Open } from "./types/meta.ts";
export type {
  KnownPermissionOptionKind,
  PermissionOption,
  PermissionOptionKind,
  PermissionOutcome,
  PermissionRequestParams,
  PermissionRequestResult,
  PermissionToolCall,
} from "./types/permission.ts";
export type {
  BooleanConfigOption,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  EnvVariable,
  HttpHeader,
  KnownConfigOption,
  KnownStopReason,
  McpServer,
  McpServerHttp,
  McpServerStdio,
  SelectConfigOption,
  SessionCancelParams,
  SessionCloseParams,
  SessionCloseResult,
  SessionDeleteParams,
  SessionDeleteResult,
  SessionInfo,
  SessionListParams,
  SessionListResult,
  SessionLoadParams,
  SessionLoadResult,
  SessionMode,
  SessionModelState,
  SessionModeState,
  SessionNewParams,
  SessionNewResult,
  SessionPromptParams,
  SessionPromptResult,
  SessionResumeParams,
  SessionResumeResult,
  SessionSetup,
  StopReason,
} from "./types/session.ts";
export type {
  AvailableCommand,
  KnownSessionUpdate,
  KnownToolCallContent,
  KnownToolCallFields,
  KnownToolKind,
  PlanEntry,
  SessionUpdate,
  SessionUpdateParams,
  ToolCallFields,
  ToolCallLocation,
  ToolCallStatus,
} from "./types/update.ts";
export {
  resolveWindowsCommand,
  type WindowsCommand,
  type WindowsLookup,
} from "./windows-command.ts";
