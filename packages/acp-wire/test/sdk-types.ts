// Checked by the compiler alone: how the types declared here relate to those of the ACP SDK.
import type * as sdk from "@agentclientprotocol/sdk";
import type * as ours from "../src/index.ts";

type Fits<From, To> = [From] extends [To] ? true : false;
type Assert<Fact extends true> = Fact;

/** What comes in: whatever the SDK calls by its types is accepted by ours. */
export type SdkFitsOurs = [
  Assert<Fits<sdk.Annotations, ours.Annotations>>,
  Assert<Fits<sdk.ContentBlock, ours.ContentBlock>>,
  Assert<Fits<sdk.ContentBlock, ours.KnownContentBlock>>,
  Assert<Fits<sdk.EmbeddedResourceResource, ours.ResourceContents>>,
  Assert<Fits<sdk.Implementation, ours.Implementation>>,
  Assert<Fits<sdk.Implementation, ours.AgentInfo>>,
  Assert<Fits<sdk.PromptCapabilities, ours.PromptCapabilities>>,
  Assert<Fits<sdk.McpCapabilities, ours.McpCapabilities>>,
  Assert<Fits<sdk.SessionCapabilities, ours.SessionCapabilities>>,
  Assert<Fits<sdk.AgentCapabilities, ours.AgentCapabilities>>,
  Assert<Fits<sdk.ClientCapabilities, ours.ClientCapabilities>>,
  Assert<Fits<sdk.AuthMethod, ours.AuthMethod>>,
  Assert<Fits<sdk.InitializeRequest, ours.InitializeParams>>,
  Assert<Fits<sdk.InitializeResponse, ours.InitializeResult>>,
  Assert<Fits<sdk.EnvVariable, ours.EnvVariable>>,
  Assert<Fits<sdk.HttpHeader, ours.HttpHeader>>,
  Assert<Fits<sdk.McpServer, ours.McpServer>>,
  Assert<Fits<sdk.SessionMode, ours.SessionMode>>,
  Assert<Fits<sdk.SessionModeState, ours.SessionModeState>>,
  Assert<Fits<sdk.SessionConfigOption, ours.ConfigOption>>,
  Assert<Fits<sdk.SessionInfo, ours.SessionInfo>>,
  Assert<Fits<sdk.NewSessionRequest, ours.SessionNewParams>>,
  Assert<Fits<sdk.NewSessionResponse, ours.SessionNewResult>>,
  Assert<Fits<sdk.NewSessionResponse, ours.SessionSetup>>,
  Assert<Fits<sdk.LoadSessionRequest, ours.SessionLoadParams>>,
  Assert<Fits<sdk.LoadSessionResponse, ours.SessionLoadResult>>,
  Assert<Fits<sdk.ResumeSessionRequest, ours.SessionResumeParams>>,
  Assert<Fits<sdk.ResumeSessionResponse, ours.SessionResumeResult>>,
  Assert<Fits<sdk.ListSessionsRequest, ours.SessionListParams>>,
  Assert<Fits<sdk.ListSessionsResponse, ours.SessionListResult>>,
  Assert<Fits<sdk.CloseSessionRequest, ours.SessionCloseParams>>,
  Assert<Fits<sdk.CloseSessionResponse, ours.SessionCloseResult>>,
  Assert<Fits<sdk.DeleteSessionRequest, ours.SessionDeleteParams>>,
  Assert<Fits<sdk.DeleteSessionResponse, ours.SessionDeleteResult>>,
  Assert<Fits<sdk.CancelNotification, ours.SessionCancelParams>>,
  Assert<Fits<sdk.PromptRequest, ours.SessionPromptParams>>,
  Assert<Fits<sdk.PromptResponse, ours.SessionPromptResult>>,
  Assert<Fits<sdk.StopReason, ours.StopReason>>,
  Assert<Fits<sdk.ToolCallLocation, ours.ToolCallLocation>>,
  Assert<Fits<sdk.ToolCallUpdate, ours.ToolCallFields>>,
  Assert<Fits<sdk.ToolCallUpdate, ours.PermissionToolCall>>,
  Assert<Fits<sdk.PlanEntry, ours.PlanEntry>>,
  Assert<Fits<sdk.AvailableCommand, ours.AvailableCommand>>,
  Assert<Fits<sdk.SessionUpdate, ours.SessionUpdate>>,
  Assert<Fits<sdk.SessionNotification, ours.SessionUpdateParams>>,
  Assert<Fits<sdk.PermissionOption, ours.PermissionOption>>,
  Assert<Fits<sdk.PermissionOptionKind, ours.PermissionOptionKind>>,
  Assert<Fits<sdk.RequestPermissionRequest, ours.PermissionRequestParams>>,
  Assert<Fits<sdk.RequestPermissionOutcome, ours.PermissionOutcome>>,
  Assert<Fits<sdk.RequestPermissionResponse, ours.PermissionRequestResult>>,
];

/** What goes out: the closed types that this side writes by are accepted by the SDK's. */
export type OursFitsSdk = [
  Assert<Fits<ours.KnownContentBlock, sdk.ContentBlock>>,
  Assert<Fits<ours.ResourceContents, sdk.EmbeddedResourceResource>>,
  Assert<Fits<ours.Implementation, sdk.Implementation>>,
  Assert<Fits<ours.AgentCapabilities, sdk.AgentCapabilities>>,
  Assert<Fits<ours.ClientCapabilities, sdk.ClientCapabilities>>,
  Assert<Fits<ours.KnownAuthMethod, sdk.AuthMethod>>,
  Assert<Fits<ours.InitializeParams, sdk.InitializeRequest>>,
  Assert<Fits<ours.McpServer, sdk.McpServer>>,
  Assert<Fits<ours.SessionModeState, sdk.SessionModeState>>,
  Assert<Fits<ours.KnownConfigOption, sdk.SessionConfigOption>>,
  Assert<Fits<ours.SessionInfo, sdk.SessionInfo>>,
  Assert<Fits<ours.SessionNewParams, sdk.NewSessionRequest>>,
  Assert<Fits<ours.SessionLoadParams, sdk.LoadSessionRequest>>,
  Assert<Fits<ours.SessionResumeParams, sdk.ResumeSessionRequest>>,
  Assert<Fits<ours.SessionListParams, sdk.ListSessionsRequest>>,
  Assert<Fits<ours.SessionListResult, sdk.ListSessionsResponse>>,
  Assert<Fits<ours.SessionCloseParams, sdk.CloseSessionRequest>>,
  Assert<Fits<ours.SessionCloseResult, sdk.CloseSessionResponse>>,
  Assert<Fits<ours.SessionDeleteParams, sdk.DeleteSessionRequest>>,
  Assert<Fits<ours.SessionDeleteResult, sdk.DeleteSessionResponse>>,
  Assert<Fits<ours.SessionCancelParams, sdk.CancelNotification>>,
  Assert<Fits<ours.KnownStopReason, sdk.StopReason>>,
  Assert<Fits<ours.KnownToolCallContent, sdk.ToolCallContent>>,
  Assert<Fits<ours.KnownToolCallFields & { toolCallId: string }, sdk.ToolCallUpdate>>,
  Assert<Fits<ours.PlanEntry, sdk.PlanEntry>>,
  Assert<Fits<ours.AvailableCommand, sdk.AvailableCommand>>,
  Assert<Fits<ours.KnownSessionUpdate, sdk.SessionUpdate>>,
  Assert<Fits<ours.KnownPermissionOptionKind, sdk.PermissionOptionKind>>,
  Assert<Fits<ours.PermissionOutcome, sdk.RequestPermissionOutcome>>,
  Assert<Fits<ours.PermissionRequestResult, sdk.RequestPermissionResponse>>,
];

/** Every kind of update that the SDK knows can be written. */
export type AllKinds = Assert<
  Fits<sdk.SessionUpdate["sessionUpdate"], ours.KnownSessionUpdate["sessionUpdate"]>
>;

/**
 * The exceptions. Each is open on purpose: what comes in may be newer than the SDK, and what a
 * caller hands on is not this package's to judge.
 */
export type Exceptions = [
  // @ts-expect-error A content block of a kind that is not known yet.
  Assert<Fits<ours.ContentBlock, sdk.ContentBlock>>,
  // @ts-expect-error A prompt may hold such blocks.
  Assert<Fits<ours.SessionPromptParams, sdk.PromptRequest>>,
  // @ts-expect-error Agents also stop with `error`, and with words of their own.
  Assert<Fits<ours.SessionPromptResult, sdk.PromptResponse>>,
  // @ts-expect-error An update of a kind that is not known yet.
  Assert<Fits<ours.SessionUpdateParams, sdk.SessionNotification>>,
  // @ts-expect-error `allow_persistent`, which is mapped before it is written.
  Assert<Fits<ours.PermissionRequestParams, sdk.RequestPermissionRequest>>,
  // @ts-expect-error A config option of a type that is not known yet.
  Assert<Fits<ours.SessionNewResult, sdk.NewSessionResponse>>,
  // @ts-expect-error As above.
  Assert<Fits<ours.SessionLoadResult, sdk.LoadSessionResponse>>,
];
