import type { KnownSessionUpdate } from "@acp-kit/acp-wire";
import { createSessionState, type SessionState } from "@acp-kit/dcode-client";
import type { Session } from "@acp-kit/dcode-protocol";
import { buildMeta } from "@acp-kit/statusline";
import type { Mapped } from "./mapped.ts";

/** A tool call that the client sees as not finished. */
export type Card = {
  /** Unique in the session: a provider's ids are not. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** The title that was sent last, which may count files. */
  readonly shown: string;
  readonly input: unknown;
  readonly status: "pending" | "in_progress";
};

export type MappingState = {
  readonly session: SessionState;
  /** The daemon's id of the session. */
  readonly id: string;
  readonly workspace: string;
  /** In tokens; undefined when the daemon does not know. */
  readonly contextWindow: number | undefined;
  /** Open calls by the seq that tells them apart. */
  readonly cards: ReadonlyMap<number, Card>;
  /** The run of text that the last event belongs to. */
  readonly message: { readonly kind: TextKind; readonly id: string } | undefined;
  readonly status: StatusFields;
  /** Tokens in the context, as they were told last. */
  readonly used: number | undefined;
};

export type TextKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
export type StatusFields = { readonly mood: string; readonly plan: string };

export const NO_STATUS: StatusFields = { mood: "", plan: "" };

/** Where to start: a session as the daemon shows it, before any of its events. */
export function createMappingState(session: Session): MappingState {
  return {
    session: createSessionState(session),
    id: session.id,
    workspace: session.workspace,
    contextWindow: session.context_window,
    cards: new Map(),
    message: undefined,
    status: NO_STATUS,
    used: undefined,
  };
}

/** Closes every open card: nothing more will be heard of the calls. */
export function closeCards(
  state: MappingState,
  seqs: Iterable<number>,
  why: string,
): { state: MappingState; mapped: Mapped[] } {
  const cards = new Map(state.cards);
  const mapped: Mapped[] = [];
  for (const seq of seqs) {
    const card = cards.get(seq);
    if (card === undefined) continue;
    cards.delete(seq);
    mapped.push({
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: card.id,
        ...(card.shown !== card.title && { title: card.title }),
        status: "failed",
        content: [{ type: "content", content: { type: "text", text: why } }],
      },
    });
  }
  return { state: { ...state, cards }, mapped };
}

/** Adds what has changed of the status line to the updates, on one that goes out anyway if there is one. */
export function withStatus(before: StatusFields, after: StatusFields, mapped: Mapped[]): Mapped[] {
  if (before.mood === after.mood && before.plan === after.plan) return mapped;
  const meta = buildMeta(after);
  const at = mapped.findIndex((each) => "update" in each);
  const carrier = mapped[at];
  if (carrier !== undefined && "update" in carrier) return mapped.with(at, { ...carrier, meta });
  const update: KnownSessionUpdate = { sessionUpdate: "session_info_update" };
  return [...mapped, { update, meta }];
}
