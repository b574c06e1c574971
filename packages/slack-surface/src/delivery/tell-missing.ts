import { createReference } from "@acp-kit/router";
import { postOnce } from "../publish/post-once.ts";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { ThreadPlace } from "./thread-place.ts";

export type MissingPart = {
  readonly conversation: string;
  /** Names the message that says so. */
  readonly id: string;
  /** For people; the reference is put behind it. */
  readonly text: string;
  /** What was done, for the operator, and how it failed. */
  readonly what: string;
  readonly error: unknown;
};

/** Says in the place of what is missing that it is. False when the platform does not take that either. Never rejects. */
export async function tellMissing(
  { queue, clock, identity, renderer, context }: SlackWorkspace,
  { channel, thread }: ThreadPlace,
  { conversation, id, text, what, error }: MissingPart,
): Promise<boolean> {
  const ref = createReference();
  context.journal.fail({ ref, conversation, what, error });
  const said = renderer.say("error", `${text} (ref ${ref}).`);
  const markdown = said.kind === "text" ? said.markdown : "";
  const posted = await postOnce({
    ...{ queue, clock, botId: identity.botId, channel, thread, id },
    priority: "final",
    mayBeThere: false,
    body: () => renderPart(markdown, "", MARKDOWN_FORM),
  });
  return posted.kind === "posted";
}
