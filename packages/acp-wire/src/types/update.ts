import type { ContentBlock, KnownContentBlock } from "./content.ts";
import type { Meta, Open } from "./meta.ts";
import type { KnownConfigOption } from "./session.ts";

export type KnownToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";
export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolCallLocation = { path: string; line?: number | null; _meta?: Meta | null };

/** What a tool call shows: content, a diff, or a terminal. */
export type KnownToolCallContent =
  | { type: "content"; content: KnownContentBlock; _meta?: Meta | null }
  | { type: "diff"; path: string; oldText?: string | null; newText: string; _meta?: Meta | null }
  | { type: "terminal"; terminalId: string; _meta?: Meta | null };

/** The fields of a tool call as they come in: each may be missing, and tags may be unknown. */
export type ToolCallFields = {
  title?: string | null;
  name?: string | null;
  kind?: string | null;
  status?: string | null;
  content?:
    | (KnownToolCallContent | { type: "content"; content: ContentBlock } | Open<"type">)[]
    | null;
  locations?: ToolCallLocation[] | null;
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: Meta | null;
};

/** The fields of a tool call as this side writes them. */
export type KnownToolCallFields = {
  title?: string;
  name?: string;
  kind?: KnownToolKind;
  status?: ToolCallStatus;
  content?: KnownToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: Meta | null;
};

export type PlanEntry = {
  content: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
  _meta?: Meta | null;
};

export type AvailableCommand = {
  name: string;
  description: string;
  input?: { hint: string; _meta?: Meta | null } | null;
  _meta?: Meta | null;
};

type Chunk<Kind extends string> = {
  sessionUpdate: Kind;
  content: KnownContentBlock;
  messageId?: string | null;
  _meta?: Meta | null;
};

/** The session updates of ACP v1: what this side writes. */
export type KnownSessionUpdate =
  | Chunk<"user_message_chunk">
  | Chunk<"agent_message_chunk">
  | Chunk<"agent_thought_chunk">
  | (KnownToolCallFields & { sessionUpdate: "tool_call"; toolCallId: string; title: string })
  | (KnownToolCallFields & { sessionUpdate: "tool_call_update"; toolCallId: string })
  | { sessionUpdate: "plan"; entries: PlanEntry[]; _meta?: Meta | null }
  | {
      sessionUpdate: "available_commands_update";
      availableCommands: AvailableCommand[];
      _meta?: Meta | null;
    }
  | { sessionUpdate: "current_mode_update"; currentModeId: string; _meta?: Meta | null }
  | {
      sessionUpdate: "config_option_update";
      configOptions: KnownConfigOption[];
      _meta?: Meta | null;
    }
  | {
      sessionUpdate: "session_info_update";
      title?: string | null;
      updatedAt?: string | null;
      _meta?: Meta | null;
    }
  | {
      sessionUpdate: "usage_update";
      /** Tokens in the context, and how many fit. */
      used: number;
      size: number;
      cost?: { amount: number; currency: string; _meta?: Meta | null } | null;
      _meta?: Meta | null;
    }
  | {
      sessionUpdate: "notice";
      severity: string;
      title: string;
      description?: string | null;
      _meta?: Meta | null;
    }
  | {
      sessionUpdate: "compaction_update";
      compactionId: string;
      status: string;
      summary?: KnownContentBlock[] | null;
      error?: string | null;
      _meta?: Meta | null;
    }
  | {
      sessionUpdate: "compaction_summary_chunk";
      compactionId: string;
      content: KnownContentBlock;
      _meta?: Meta | null;
    };

/** A session update as it comes in: nothing but its tag is checked, everything passes through. */
export type SessionUpdate = Open<"sessionUpdate"> & { _meta?: Meta | null };

export type SessionUpdateParams = {
  sessionId: string;
  update: SessionUpdate;
  _meta?: Meta | null;
};
