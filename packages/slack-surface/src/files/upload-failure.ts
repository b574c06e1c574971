/** Thrown for what keeps a file from being shared; its message is a clause for people. */
export class UploadFailure extends Error {
  override readonly name = "UploadFailure";
}

const nowhere = "this app may not write here";

const refusals: Readonly<Record<string, string>> = {
  access_denied: nowhere,
  channel_not_found: nowhere,
  file_upload_size_restricted: "this workspace takes no files of that size",
  file_uploads_disabled: "this workspace takes no files",
  file_uploads_except_images_disabled: "this workspace takes only images",
  is_archived: "this channel is archived",
  missing_scope: "this app lacks the scope files:write",
  not_in_channel: nowhere,
  restricted_action: nowhere,
  slack_connect_file_upload_sharing_blocked: "files may not be shared in this channel",
  storage_limit_reached: "this workspace has no room left for files",
  thread_not_found: "the thread is gone",
};

/** @see https://docs.slack.dev/reference/methods/files.completeUploadExternal */
export function explainUploadRefusal(error: string): string {
  const known = Object.hasOwn(refusals, error) ? refusals[error] : undefined;
  return known ?? `Slack refused it (${/^[a-z_]{1,50}$/.test(error) ? error : "?"})`;
}
