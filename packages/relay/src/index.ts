export type { AppCommand, Finding, RelayApp } from "./app.ts";
export {
  type Bot,
  type Named,
  type PoeBot,
  pathOf,
  type SlackBot,
  type SlackTransport,
} from "./bots/bot.ts";
export { runRelay } from "./cli/run-relay.ts";
export type { Streams } from "./cli/streams.ts";
export type { CommandMessage, CommandOutcome } from "./commands/command-context.ts";
export { COMMANDS, type Command, type CommandName } from "./commands/command-table.ts";
export type { ChatCommands, PendingCommand } from "./commands/create-chat-commands.ts";
export {
  createRelayCommands,
  type RelayCommandsOptions,
} from "./commands/create-relay-commands.ts";
export {
  type Answer,
  isBareAnswer,
  isVerdict,
  parseAnswer,
  refusal,
} from "./commands/parse-answer.ts";
export { isAside, type ParsedCommand, parseCommand } from "./commands/parse-command.ts";
export {
  type BotConfig,
  SLACK_CHOICES,
  type SlackBotConfig,
  type SurfaceName,
} from "./config/bot-schema.ts";
export { type LoadedConfig, readConfig } from "./config/read-config.ts";
export type { AgentConfig, Config, WorkspaceConfig } from "./config/schema.ts";
export type { Env } from "./config/secret.ts";
export {
  type ConversationKey,
  formatConversationKey,
  parseConversationKey,
} from "./conversation-key.ts";
export { ConfigError, RelayError, type RelayErrorCode } from "./errors.ts";
export type { FileLock } from "./file-lock.ts";
export type { CreateDownloads, DownloadRules } from "./files/create-files.ts";
export {
  createJournal,
  type Decision,
  type Failure,
  type Inbound,
  type Journal,
  type JournalOptions,
} from "./journal/journal.ts";
export { createLocks, type TakeLock } from "./locks.ts";
export {
  createLog,
  formatUrlForLog,
  hashId,
  type Log,
  type LogLevel,
  type LogOptions,
} from "./log.ts";
export { createNotices, type Notice, type NoticeSink, type Notices } from "./notices/notices.ts";
export type { AgentOffer, AgentOffers, OfferedSetting } from "./offers/agent-offers.ts";
export {
  FLUSH_PERIOD_MS,
  idlePacer,
  nextFlush,
  type PacerEvent,
  type PacerState,
  reducePacer,
} from "./pacer.ts";
export { type Access, type Admission, createAccess } from "./people/access.ts";
export type { AccessRule, Person, Place } from "./people/access-rule.ts";
export type { Limits } from "./people/limits.ts";
export type { Pairing } from "./people/pairing.ts";
export { parsePairing } from "./people/parse-pairing.ts";
export type { Pause } from "./people/pause-switch.ts";
export {
  type AccessDecision,
  createPeople,
  type People,
  type PeopleOptions,
} from "./people/people.ts";
export type { UsageGroup, UsageSum } from "./people/usage.ts";
export { type ProxyOptions, proxyOptionsOf } from "./proxy-options.ts";
export { MIN_SECRET_LENGTH, Redactor } from "./redactor.ts";
export { openRelayDb, RelayDb, type RelayTables } from "./relay-db.ts";
export { RELAY_TABLES } from "./relay-tables.ts";
export type {
  BotHealth,
  CreateSurface,
  RelaySurface,
  SurfaceBot,
  SurfaceContext,
} from "./surface.ts";
export { createSurfaceNotes, type SurfaceNotes } from "./surface-notes.ts";
export { formatForTerminal } from "./terminal-text.ts";
export {
  type Activity,
  describeActivity,
  formatElapsed,
  isBehind,
} from "./wording/describe-activity.ts";
export { describeContent } from "./wording/describe-content.ts";
export { describeOutcome, type Ending, isAnswer } from "./wording/describe-outcome.ts";
export { detailLines, detailText } from "./wording/detail-lines.ts";
export { MAX_TITLE_CODE_POINTS, oneLine } from "./wording/one-line.ts";
export {
  describeAnswer,
  describeChoice,
  questionHeading,
  SUBJECT_IN_WORDS,
  saidOf,
} from "./wording/question-words.ts";
export {
  type Checklist,
  describePlan,
  formatContextUse,
  formatStatus,
  readStatus,
} from "./wording/read-status.ts";
export { isSentenceSeam } from "./wording/sentence-seam.ts";
export { showInvisible } from "./wording/show-invisible.ts";
export { type Detail, ToolReport, type ToolResult } from "./wording/tool-report.ts";
export { toolEmoji, toolLabel } from "./wording/tool-words.ts";
