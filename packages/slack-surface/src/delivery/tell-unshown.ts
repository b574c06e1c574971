import { createReference } from "@acp-kit/router";
import { postOnce } from "../publish/post-once.ts";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { RenderFailure } from "./failure.ts";
import { Pause } from "./pause.ts";
import type { ThreadPlace } from "./thread-place.ts";
import type { TurnDelivery } from "./turn-delivery.ts";

/** How long what may vanish of a turn that cannot be shown may take to do so, in milliseconds. */
const REST_WITHIN_MS = 5_000;

export type UnshownTurn = {
  readonly conversation: string;
  readonly turn: string;
  /** Is sealed. */
  readonly delivery: TurnDelivery;
  readonly error: RenderFailure;
};

/** In the place of the answer there is a reference to what went wrong. */
export async function tellUnshown(
  { queue, clock, identity, renderer, context }: SlackWorkspace,
  { channel, thread }: ThreadPlace,
  { conversation, turn, delivery, error }: UnshownTurn,
): Promise<void> {
  delivery.seal();
  const late = clock.now() + REST_WITHIN_MS;
  while (!delivery.isSealed && clock.now() < late) await new Pause(clock).wait(100);
  const ref = createReference();
  context.journal.fail({ ref, conversation, what: "render", error: error.cause });
  const said = renderer.say("error", `This answer can't be shown (ref ${ref}).`);
  const text = said.kind === "text" ? said.markdown : "";
  await postOnce({
    ...{ queue, clock, botId: identity.botId, channel, thread, id: `${turn}.unshown` },
    priority: "final",
    mayBeThere: false,
    body: () => renderPart(text, "", MARKDOWN_FORM),
  });
}
