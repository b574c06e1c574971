import type { ContentBlock } from "@acp-kit/acp-wire";
import { RouterError } from "./errors.ts";
import type { EventBody, TurnOutcome } from "./events.ts";
import { parseFailure } from "./failure.ts";
import { asFields, asText } from "./fields.ts";
import type { SessionSlot } from "./session-slot.ts";
import type { ReactionItem } from "./store.ts";
import type { PromptSession } from "./turn-runner.ts";
import { DEFAULT_TURN_LIMITS, type TurnLimits } from "./turn-state.ts";

/** How long an agent may think about a reaction, in milliseconds: people's messages wait meanwhile. */
const REACTION_CEILING_MS = 60_000;

/** Longest name of a reaction, and id of a message, that is passed on, in characters. */
const MAX_NAME_CHARS = 200;

/** The clocks of an agent's stay with a reaction. */
export function createReactionLimits({ cancelGraceMs }: TurnLimits): TurnLimits {
  return { ...DEFAULT_TURN_LIMITS, cancelGraceMs, turnCeilingMs: REACTION_CEILING_MS };
}

/** What the log says of a reaction. */
export function createReactionEvent(item: ReactionItem): EventBody {
  const { user: who, message, reaction, action } = item;
  return { kind: "reaction", who, message, reaction, action };
}

/**
 * The session of a conversation as far as a reaction may use it: the one that is attached. None is opened for it, so
 * that no session begins without what was said before.
 */
export class ReactionSession implements PromptSession {
  readonly model = undefined;
  readonly place = undefined;
  readonly isTainted = true;
  readonly #slot: SessionSlot;
  readonly #item: ReactionItem;
  #session: string | undefined;

  constructor(item: ReactionItem, slot: SessionSlot) {
    this.#item = item;
    this.#slot = slot;
  }

  async attach(): Promise<void> {
    this.#session = this.#slot.attached?.session;
    if (this.#session !== undefined) return;
    throw new RouterError("No session is attached that could be told of a reaction", {
      code: "closed",
    });
  }

  async prompt(): Promise<string> {
    const blocks = createReactionBlocks(this.#item);
    const result: unknown = await this.#slot.agent.prompt(this.#session ?? "", blocks);
    return asText(asFields(result)?.["stopReason"]) ?? "";
  }

  cancel(): void {
    if (this.#session !== undefined) this.#slot.agent.cancel(this.#session).catch(() => undefined);
  }

  abandon(): void {
    this.#slot.abandon();
  }

  endBy(error: unknown): TurnOutcome {
    return parseFailure(error, "prompt");
  }
}

function createReactionBlocks({ reaction, message, action }: ReactionItem): ContentBlock[] {
  const name = JSON.stringify(reaction.slice(0, MAX_NAME_CHARS));
  const id = JSON.stringify(message.slice(0, MAX_NAME_CHARS));
  const what = action === "added" ? "reacted with" : "took back the reaction";
  return [
    {
      type: "text",
      text: [
        "[From the relay, out of band: a reaction, not a message]",
        `The person ${what} ${name} to your message ${id}.`,
        "Nobody sees a reply to this. Start no work because of it; note it for later if that helps.",
      ].join("\n"),
    },
  ];
}
