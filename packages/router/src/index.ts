export type { Agent } from "./agent.ts";
export { agentOfSession } from "./agent-directory.ts";
export { MAX_OPEN_QUESTIONS } from "./approvals.ts";
export { isListedHost } from "./attachments/check-url.ts";
export type { OpenedFile } from "./attachments/kept-file.ts";
export type { SendRefusal } from "./attachments/refusal-words.ts";
export { createRouter, DEFAULT_SESSION_TTL_MS } from "./create-router.ts";
export type { ConversationState, KnownSetting } from "./describe-conversation.ts";
export { RouterError, type RouterErrorCode } from "./errors.ts";
export type {
  AgentCommand,
  AgentContent,
  BusyWorkspace,
  CancelCause,
  EventBody,
  FailurePhase,
  LogEvent,
  NewEvent,
  PermissionAnswer,
  PermissionAsk,
  PermissionEnd,
  PermissionOption,
  PlanEntry,
  SentFile,
  ToolContent,
  TurnOutcome,
  TurnPhase,
  Usage,
} from "./events.ts";
export type { Grant } from "./grants.ts";
export { MAX_HISTORY_CHARS } from "./history.ts";
export { KeyedLocks } from "./keyed-locks.ts";
export type { ConversationLog, Cursor } from "./log.ts";
export { MemoryStore } from "./memory-store.ts";
export type { RouterMetric } from "./metrics.ts";
export { oneQuestionAtATime, QuestionLine } from "./one-question-at-a-time.ts";
export { DEFAULT_OPTIONS, type Options, THINKING_LEVELS } from "./options.ts";
export type { FileToSend, SendResult } from "./outgoing-files.ts";
export { OPTION_PARAMETERS, parseOptions } from "./parse-options.ts";
export { needsApprover } from "./permission.ts";
export type { Sequence } from "./persistent-list.ts";
export { pipeToSink } from "./pipe-to-sink.ts";
export { PROVIDER_MODEL_PREFIX, providerOf, providerParameters } from "./provider.ts";
export { type ErasableReactions, eraseReactions } from "./reaction-ledger.ts";
export { createReference } from "./reference.ts";
export {
  type Display,
  MAX_CARRY_CHARS,
  type MarkupRenderer,
  type RenderContext,
  type RenderedTurn,
} from "./renderer.ts";
export { mayDecide, type Role } from "./role.ts";
export type {
  Choice,
  DebugInfo,
  LastTurn,
  PermissionPolicy,
  PromptRequest,
  Router,
  RouterConfig,
  RouterReport,
  SendPolicy,
  SessionServers,
  TurnAdmission,
  TurnStart,
} from "./router.ts";
export { readSettings, type SessionSetting, type SettingsSource } from "./session-settings.ts";
export type { ChunkSink } from "./sink.ts";
export {
  type AnswerItem,
  type CancelItem,
  type Checkpoint,
  type ChooseItem,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  MAX_QUEUED,
  MAX_RECORD_BYTES,
  MAX_WAITING,
  type OpenTurn,
  type Posted,
  type PromptItem,
  REDRIVE_WINDOW_MS,
  type ReactionItem,
  type RedactItem,
  type ResetItem,
  type RevokeItem,
  type SendItem,
  type Store,
  type TakenItem,
  type TurnRef,
} from "./store.ts";
export type { Attachment, Turn } from "./transcript.ts";
export type { BusyPolicy } from "./turn-queue.ts";
export {
  type Awaited,
  DEFAULT_TURN_LIMITS,
  reduceTurn,
  type TurnEffect,
  type TurnEvent,
  type TurnLimits,
  type TurnState,
  type TurnStep,
} from "./turn-state.ts";
export {
  hasAnswer,
  isToolEnded,
  openTools,
  reduceTurnView,
  type Segment,
  type ToolView,
  type TurnView,
} from "./turn-view.ts";
export type {
  FileLending,
  LendResult,
  Workspace,
  WorkspaceHolder,
  WorkspaceTurn,
} from "./workspace.ts";
