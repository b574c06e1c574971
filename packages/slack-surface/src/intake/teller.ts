import type { SlackBlock } from "../blocks/render-question.ts";
import type { CallRequest } from "../budget/call-queue.ts";
import { cutMarkdown } from "../publish/cut-markdown.ts";
import type { FindEmphasis } from "../publish/emphasis.ts";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import type { SlackWorkspace } from "../workspace.ts";

/** Where somebody is told something. */
export type TellPlace = {
  readonly channel: string;
  /** Absent: in the channel itself. */
  readonly thread?: string | undefined;
};

/** Messages that one answer may have. */
const MAX_PIECES = 5;

/** How long the answer to what somebody has just done is worth something, in milliseconds. */
const PATIENCE_MS = 60_000;

type Kind = "notice" | "error" | "command";

/** What the relay itself says, in words that are no agent's. */
export class Teller {
  readonly #workspace: Pick<SlackWorkspace, "queue" | "renderer" | "clock">;

  constructor(workspace: Pick<SlackWorkspace, "queue" | "renderer" | "clock">) {
    this.#workspace = workspace;
  }

  /**
   * Tells one person, and nobody else. In a channel it is gone when they come back later. Never rejects.
   *
   * @param blocks - Below the text.
   */
  async privately(
    user: string,
    place: TellPlace,
    kind: Kind,
    markdown: string,
    blocks: readonly SlackBlock[] = [],
  ): Promise<void> {
    if (place.channel.startsWith("D")) return this.openly(place, kind, markdown, blocks);
    await this.#say("chat.postEphemeral", { ...place, user }, kind, markdown, blocks);
  }

  /** Tells whoever reads there. Never rejects. */
  async openly(
    place: TellPlace,
    kind: Kind,
    markdown: string,
    blocks: readonly SlackBlock[] = [],
  ): Promise<void> {
    await this.#say("chat.postMessage", place, kind, markdown, blocks);
  }

  async #say(
    method: string,
    { channel, thread, user }: TellPlace & { readonly user?: string },
    kind: Kind,
    markdown: string,
    blocks: readonly SlackBlock[],
  ): Promise<void> {
    const { queue, renderer, clock } = this.#workspace;
    const part = renderer.say(kind, markdown);
    if (part.kind !== "text") return;
    const bodies = cutPieces(part.markdown, renderer.findEmphasis);
    for (const [at, body] of bodies.entries()) {
      const shown = renderPart(body, "", MARKDOWN_FORM);
      const below = at === bodies.length - 1 ? blocks : [];
      const request: CallRequest = {
        method,
        channel,
        priority: "question",
        deadline: clock.now() + PATIENCE_MS,
        args: () => ({
          channel,
          ...(thread !== undefined && { thread_ts: thread }),
          ...(user !== undefined && { user }),
          text: shown.text,
          blocks: [...shown.blocks, ...below],
          unfurl_links: false,
          unfurl_media: false,
        }),
      };
      await queue.run(request);
    }
  }
}

function cutPieces(markdown: string, find: FindEmphasis): readonly string[] {
  const bodies: string[] = [];
  for (let from = 0; from < markdown.length && bodies.length < MAX_PIECES; ) {
    const { body, to } = cutMarkdown(markdown, from, MARKDOWN_FORM.maxCodePoints, find);
    bodies.push(body);
    from = to;
  }
  return bodies;
}
