import type { SentFile } from "@acp-kit/router";
import type { SlackUploads, UploadOutcome } from "../files/slack-uploads.ts";
import { postOnce } from "../publish/post-once.ts";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure, isLasting } from "./failure.ts";
import type { ThreadPlace } from "./thread-place.ts";

export type FileToShow = {
  readonly conversation: string;
  /** Names the message that says why it is not shown, and no other. */
  readonly id: string;
  readonly file: SentFile;
  /** See `Upload`. */
  readonly begun: string | undefined;
  readonly onBegun: (file: string) => void;
};

/** Resolves when a file is to be seen, or why it is not. Rejects with a {@link DeliveryFailure}. */
export async function showFile(
  workspace: SlackWorkspace,
  uploads: SlackUploads,
  { channel, thread }: ThreadPlace,
  { conversation, id, file, begun, onBegun }: FileToShow,
): Promise<void> {
  const { renderer, queue, clock, identity } = workspace;
  const outcome: UploadOutcome = isClosedToFiles(workspace, channel)
    ? { kind: "failed", text: NOT_TO_PARTNERS }
    : await uploads.sendFile(file, { conversation, channel, thread, begun, onBegun });
  if (outcome.kind === "shared") return;
  if (outcome.kind === "closed") throw new DeliveryFailure("closed");
  const said = renderer.say("error", outcome.text);
  const text = said.kind === "text" ? said.markdown : outcome.text;
  const result = await postOnce({
    ...{ queue, clock, botId: identity.botId, channel, thread, id },
    priority: "text",
    mayBeThere: true,
    body: () => renderPart(text, "", MARKDOWN_FORM),
  });
  if (result.kind === "undeliverable" && isLasting(result.error)) {
    throw new DeliveryFailure(result.error);
  }
}

const NOT_TO_PARTNERS =
  "A file of the agent is not shown: people of other workspaces read this channel, and `filesToPartners` is not set.";

/** People of other workspaces read a channel, and files may not go there. */
export function isClosedToFiles({ bot, heard }: SlackWorkspace, channel: string): boolean {
  return bot.settings.filesToPartners !== true && heard.isShared(channel);
}
