/** What a refusal means for whoever wants to be read. */
export type Refusal =
  /** The message takes no edit any more: go on in a new one. */
  | "frozen"
  /** Too much for one message: cut it smaller. */
  | "too-long"
  /** The platform does not take the form: say it plainly. */
  | "form"
  /** Nothing can be said in this place, or by this app, until somebody changes that. */
  | "place"
  | "unknown";

const meanings: Readonly<Record<string, Refusal>> = {
  account_inactive: "place",
  block_mismatch: "frozen",
  cant_delete_message: "frozen",
  cant_update_message: "frozen",
  channel_not_found: "place",
  edit_window_closed: "frozen",
  ekm_access_denied: "place",
  invalid_auth: "place",
  invalid_blocks: "form",
  invalid_blocks_format: "form",
  invalid_thread_ts: "place",
  is_archived: "place",
  message_not_found: "frozen",
  messages_tab_disabled: "place",
  missing_scope: "place",
  msg_blocks_too_long: "too-long",
  msg_blocks_too_many: "too-long",
  msg_too_long: "too-long",
  no_permission: "place",
  not_authed: "place",
  not_in_channel: "place",
  restricted_action: "place",
  restricted_action_non_threadable_channel: "place",
  restricted_action_read_only_channel: "place",
  restricted_action_thread_only_channel: "place",
  streaming_state_conflict: "frozen",
  thread_not_found: "place",
  token_expired: "place",
  token_revoked: "place",
};

/** @see https://docs.slack.dev/reference/methods/chat.postMessage */
export function classifyRefusal(error: string): Refusal {
  return Object.hasOwn(meanings, error) ? (meanings[error] ?? "unknown") : "unknown";
}
