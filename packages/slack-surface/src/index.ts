export {
  ALLOW_CALLBACK,
  offeredOptions,
  parseQuestionClick,
  type QuestionClick,
  type QuestionEnd,
  type QuestionView,
  renderEndedQuestion,
  renderQuestion,
  renderSubjectModal,
  type SlackBlock,
  type SlackBody,
} from "./blocks/render-question.ts";
export { parseStopClick, renderStopButton } from "./blocks/stop-button.ts";
export { DEMOTION_MS, Demotions } from "./book/demotions.ts";
export { HeardBook, type KnownMessage } from "./book/heard-book.ts";
export { type OpenConversation, OpenConversations } from "./book/open-conversations.ts";
export { type KeptQuestion, QuestionBook } from "./book/question-book.ts";
export { SignBook } from "./book/sign-book.ts";
export { slackTables } from "./book/slack-tables.ts";
export {
  admitAt,
  admitsStream,
  type BudgetAsk,
  type BudgetState,
  emptyBudget,
  PRIORITIES,
  type Priority,
  recordCall,
  recordLimit,
} from "./budget/budget.ts";
export { CallQueue, type CallRequest, MAX_WAITING_CALLS } from "./budget/call-queue.ts";
export type { CallResult, QueuedResult, SlackCaller } from "./budget/call-result.ts";
export { type Clock, systemClock } from "./budget/clock.ts";
export { checkSlackBot } from "./check-bot.ts";
export { Directory } from "./directory/directory.ts";
export { attachmentsOf } from "./files/attachments-of.ts";
export { createDownloadsOfBot } from "./files/downloads-of-bot.ts";
export { type FileHosts, fileHostsOf } from "./files/file-hosts.ts";
export { createSlackDownloads, type SlackDownloadsOptions } from "./files/slack-downloads.ts";
export {
  SlackUploads,
  type SlackUploadsHost,
  type Upload,
  type UploadOutcome,
} from "./files/slack-uploads.ts";
export { isSignedBy, SIGNATURE_WINDOW_MS, type SignedRequest } from "./http/check-signature.ts";
export {
  MAX_SLACK_REQUEST_BYTES,
  SlackReceiver,
  type SlackReceiverOptions,
} from "./http/receiver.ts";
export { type Identification, identify } from "./identify.ts";
export { decodeSlackText, type SlackNames } from "./intake/decode-text.ts";
export { conversationOf, FOLLOW_MS, type FollowedThread, isForBot } from "./intake/follow.ts";
export type {
  Heard,
  HeardMessage,
  IgnoreReason,
  SlackAuthor,
  SlackFileReference,
  SlackIdentity,
  SlackPlace,
} from "./intake/heard.ts";
export { judgePerson, type Outsider, type SlackProfile } from "./intake/judge-author.ts";
export { formatMessageKey, type ParseEventOptions, parseSlackEvent } from "./intake/parse-event.ts";
export {
  checkResponseUrl,
  parseSlackInteraction,
  type SlackActor,
  type SlackInteraction,
} from "./intake/parse-interaction.ts";
export { SlackIntake } from "./intake/slack-intake.ts";
export { formatManifest } from "./manifest/format-manifest.ts";
export {
  type ManifestOptions,
  renderManifest,
  type SlackManifest,
} from "./manifest/render-manifest.ts";
export { SLACK_FEATURES, type SlackFeature, type SlackScope } from "./manifest/scopes.ts";
export type { TaskCard } from "./publish/cards.ts";
export { cutMarkdown, type MarkdownPiece } from "./publish/cut-markdown.ts";
export { decidedTo, defuse } from "./publish/defuse.ts";
export type { Emphasis, FindEmphasis } from "./publish/emphasis.ts";
export { escapeText } from "./publish/escape-text.ts";
export { type MarkdownSeam, seamBehind } from "./publish/markdown-seam.ts";
export {
  type NativeStreamOptions,
  NativeStreamPublisher,
  type StreamOutcome,
} from "./publish/native-stream.ts";
export {
  type PostEditOptions,
  PostEditPublisher,
  type PublishOutcome,
} from "./publish/post-edit.ts";
export type { Publication, PublishedState } from "./publish/publication.ts";
export { StreamSlots } from "./publish/stream-slots.ts";
export { createSlackCaller, type SlackCallerOptions } from "./slack-caller.ts";
export type { SlackPart, SlackRenderer } from "./slack-part.ts";
export type {
  OpenSocket,
  SocketConnection,
  SocketEnd,
  SocketEnvelope,
} from "./socket/connection.ts";
export { createSlackSocketOpener, type SlackSocketOptions } from "./socket/open-slack-socket.ts";
export {
  type SocketHealth,
  SocketSupervisor,
  type SupervisorOptions,
} from "./socket/supervisor.ts";
export { createSlackSurface, type SlackSurfaceOptions } from "./surface.ts";
export {
  type ConversationPlace,
  conversationKeyOf,
  type SlackWorkspace,
} from "./workspace.ts";
