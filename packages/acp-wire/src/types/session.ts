import type { ContentBlock } from "./content.ts";
import type { Meta, Open } from "./meta.ts";

export type EnvVariable = { name: string; value: string; _meta?: Meta | null };
export type HttpHeader = { name: string; value: string; _meta?: Meta | null };

export type McpServerStdio = {
  name: string;
  command: string;
  args: string[];
  env: EnvVariable[];
  _meta?: Meta | null;
};

export type McpServerHttp = {
  type: "http" | "sse";
  name: string;
  url: string;
  headers: HttpHeader[];
  _meta?: Meta | null;
};

/** An MCP server as a client writes it. A server without `type` is started over stdio. */
export type McpServer = McpServerStdio | McpServerHttp;

export type SessionMode = {
  id: string;
  name: string;
  description?: string | null;
  _meta?: Meta | null;
};

export type SessionModeState = {
  currentModeId: string;
  availableModes: SessionMode[];
  _meta?: Meta | null;
};

/** The model list that agents sent before models became a config option. Still in the field. */
export type SessionModelState = {
  currentModelId: string;
  availableModels: { modelId: string; name: string; description?: string | null }[];
  _meta?: Meta | null;
};

export type ConfigChoice = {
  value: string;
  name: string;
  description?: string | null;
  _meta?: Meta | null;
};
export type ConfigChoiceGroup = {
  group: string;
  name: string;
  options: ConfigChoice[];
  _meta?: Meta | null;
};

type ConfigOptionBase = {
  id: string;
  name: string;
  description?: string | null;
  /** `mode`, `model`, `model_config`, `thought_level`, or a category of the agent's own. */
  category?: string | null;
  _meta?: Meta | null;
};

export type SelectConfigOption = ConfigOptionBase & {
  type: "select";
  currentValue: string;
  options: ConfigChoice[] | ConfigChoiceGroup[];
};
export type BooleanConfigOption = ConfigOptionBase & { type: "boolean"; currentValue: boolean };

/** The config options of ACP v1: what this side writes. */
export type KnownConfigOption = SelectConfigOption | BooleanConfigOption;

/** A config option as it comes in. */
export type ConfigOption = KnownConfigOption | (ConfigOptionBase & Open<"type">);

/** What a session says about itself when it is opened. */
export type SessionSetup = {
  sessionId: string;
  modes?: SessionModeState | null;
  models?: SessionModelState | null;
  configOptions?: ConfigOption[] | null;
  _meta?: Meta | null;
};

export type SessionInfo = {
  sessionId: string;
  cwd: string;
  title?: string | null;
  /** ISO 8601. */
  updatedAt?: string | null;
  additionalDirectories?: string[];
  _meta?: Meta | null;
};

export type SessionNewParams = {
  cwd: string;
  mcpServers: McpServer[];
  additionalDirectories?: string[];
  _meta?: Meta | null;
};
export type SessionNewResult = {
  sessionId: string;
  modes?: SessionModeState | null;
  configOptions?: ConfigOption[] | null;
  _meta?: Meta | null;
};

export type SessionLoadParams = SessionNewParams & { sessionId: string };
export type SessionLoadResult = Omit<SessionNewResult, "sessionId">;

export type SessionResumeParams = Omit<SessionLoadParams, "mcpServers"> & {
  mcpServers?: McpServer[];
};
export type SessionResumeResult = SessionLoadResult;

export type SessionListParams = {
  cwd?: string | null;
  /** From the page before; opaque. */
  cursor?: string | null;
  _meta?: Meta | null;
};
export type SessionListResult = {
  sessions: SessionInfo[];
  nextCursor?: string | null;
  _meta?: Meta | null;
};

export type SessionCloseParams = { sessionId: string; _meta?: Meta | null };
export type SessionCloseResult = { _meta?: Meta | null };
export type SessionDeleteParams = { sessionId: string; _meta?: Meta | null };
export type SessionDeleteResult = { _meta?: Meta | null };
export type SessionCancelParams = { sessionId: string; _meta?: Meta | null };

export type SessionPromptParams = {
  sessionId: string;
  prompt: ContentBlock[];
  _meta?: Meta | null;
};

/** The stop reasons of ACP v1: what this side writes. */
export type KnownStopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled";

/** Why a turn ended. Agents also say `error`, which ACP does not have. */
export type StopReason = KnownStopReason | "error" | (string & {});

export type SessionPromptResult = {
  stopReason: StopReason;
  usage?: unknown;
  _meta?: Meta | null;
};
