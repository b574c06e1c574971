import type { SlackWorkspace } from "../workspace.ts";
import type { RenderFailure } from "./failure.ts";
import { Pause } from "./pause.ts";
import { tellMissing } from "./tell-missing.ts";
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
  workspace: SlackWorkspace,
  place: ThreadPlace,
  { conversation, turn, delivery, error }: UnshownTurn,
): Promise<void> {
  delivery.seal();
  const late = workspace.clock.now() + REST_WITHIN_MS;
  while (!delivery.isSealed && workspace.clock.now() < late)
    await new Pause(workspace.clock).wait(100);
  const [text, id] = ["This answer can't be shown", `${turn}.unshown`];
  await tellMissing(workspace, place, {
    conversation,
    id,
    text,
    what: "render",
    error: error.cause,
  });
}
