import type { Meta } from "./meta.ts";
import type { ToolCallFields } from "./update.ts";

/** The option kinds of ACP v1: what this side writes. */
export type KnownPermissionOptionKind =
  | "allow_once"
  | "allow_always"
  | "reject_once"
  | "reject_always";

/** The kind of an option. `allow_persistent` (keep it in the configuration) is no ACP, but sent. */
export type PermissionOptionKind = KnownPermissionOptionKind | "allow_persistent" | (string & {});

export type PermissionOption = {
  optionId: string;
  name: string;
  kind: PermissionOptionKind;
  _meta?: Meta | null;
};

/** The tool call that waits for an answer. */
export type PermissionToolCall = ToolCallFields & { toolCallId: string };

export type PermissionRequestParams = {
  sessionId: string;
  toolCall: PermissionToolCall;
  options: PermissionOption[];
  _meta?: Meta | null;
};

export type PermissionOutcome =
  | { outcome: "selected"; optionId: string; _meta?: Meta | null }
  | { outcome: "cancelled" };

export type PermissionRequestResult = { outcome: PermissionOutcome; _meta?: Meta | null };
