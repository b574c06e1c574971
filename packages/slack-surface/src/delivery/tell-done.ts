import { formatElapsed } from "@acp-kit/relay";
import type { TurnView } from "@acp-kit/router";
import { postOnce } from "../publish/post-once.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure, isLasting } from "./failure.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** Whoever has waited for longer than this is looking elsewhere, in milliseconds. */
export const TELL_DONE_AFTER_MS = 60_000;

export type DoneTurn = {
  readonly view: TurnView;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** An earlier process may have posted the message. */
  readonly isTelling: boolean;
  /** Called before it is posted. */
  readonly onIntent: () => void;
};

/**
 * A new message that mentions the requester of a long turn: an edit rings no phone. In a direct conversation every
 * message does.
 */
export async function tellDone(
  { queue, clock, identity }: SlackWorkspace,
  { channel, thread, isDirect }: ThreadPlace,
  { view, endedAt, isTelling, onIntent }: DoneTurn,
): Promise<void> {
  const { turn, who = "", startedAt, outcome } = view;
  const elapsedMs = endedAt - startedAt;
  if (isDirect || elapsedMs < TELL_DONE_AFTER_MS || !/^[UW][A-Z0-9]+$/.test(who)) return;
  onIntent();
  const said = outcome?.kind === "completed" ? "done" : "ended";
  const text = `<@${who}> ${said} · ${formatElapsed(elapsedMs)}`;
  const result = await postOnce({
    ...{ queue, clock, botId: identity.botId, channel, thread },
    id: `${turn}.done`,
    priority: "final",
    mayBeThere: isTelling,
    body: () => ({ text }),
  });
  if (result.kind === "undeliverable" && isLasting(result.error)) {
    throw new DeliveryFailure(result.error);
  }
}
