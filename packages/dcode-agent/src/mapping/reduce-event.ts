import { reduceSession, type SessionStep } from "@acp-kit/dcode-client";
import {
  approvalGrants,
  type DcodeEvent,
  isKnownEvent,
  type KnownEvent,
  StopReason,
} from "@acp-kit/dcode-protocol";
import type { Mapped } from "./mapped.ts";
import { modeOption, modeState } from "./modes.ts";
import { planEntries } from "./plan.ts";
import { reduceTool } from "./reduce-tool.ts";
import { closeCards, type MappingState, NO_STATUS, type TextKind, withStatus } from "./state.ts";

export type MappingStep = {
  readonly state: MappingState;
  /** What the client is told, in order. */
  readonly mapped: readonly Mapped[];
  /** What the event is about. */
  readonly step: SessionStep;
};

/** Updates that tell a state of now; an old event's would tell a wrong one. */
const stateKinds: ReadonlySet<string> = new Set([
  "session_info_update",
  "usage_update",
  "current_mode_update",
  "config_option_update",
]);

/**
 * The session's next event as ACP says it. Pure.
 *
 * @param own - Whether the text of a `turn.started` or `turn.steered` is the client's own, which it need
 *   not be told.
 */
export function reduceEvent(
  before: MappingState,
  event: DcodeEvent,
  { own = false }: { readonly own?: boolean } = {},
): MappingStep {
  const step = reduceSession(before.session, event);
  let state: MappingState = { ...before, session: step.state };
  const mapped: Mapped[] = [];
  if (step.ended.length > 0) {
    const seqs = step.ended.map(({ seq }) => seq);
    const closed = closeCards(state, seqs, endText(event));
    state = closed.state;
    mapped.push(...closed.mapped);
  }
  if (isKnownEvent(event)) {
    const next = reduceKnown(state, event, step, own);
    state = next.state;
    mapped.push(...next.mapped);
  }
  if (step.history) {
    state = { ...state, status: before.status, used: before.used };
    return { state, mapped: mapped.filter(isLasting), step };
  }
  return { state, mapped: withStatus(before.status, state.status, mapped), step };
}

type Next = { readonly state: MappingState; readonly mapped: readonly Mapped[] };

function reduceKnown(
  state: MappingState,
  event: KnownEvent,
  step: SessionStep,
  own: boolean,
): Next {
  switch (event.type) {
    case "turn.started": {
      const { text } = event.payload;
      const started = { ...state, message: undefined, status: { mood: "working", plan: "" } };
      if (own || !text) return { state: started, mapped: [] };
      return say(started, "user_message_chunk", text, event.seq);
    }
    case "turn.steered": {
      const steered = { ...state, message: undefined };
      if (own) return { state: steered, mapped: [] };
      return say(steered, "user_message_chunk", event.payload.text, event.seq);
    }
    case "message.delta":
      return say(withMood(state, "writing"), "agent_message_chunk", event.payload.text, event.seq);
    case "message.reasoning":
      return say(withMood(state, "thinking"), "agent_thought_chunk", event.payload.text, event.seq);
    case "turn.completed":
      return endTurn(state, event, step);
    case "tool.requested":
    case "tool.completed":
      return reduceTool(withMood({ ...state, message: undefined }, "working"), event, step);
    case "tool.approval_required":
      return reduceTool(withMood(state, "asking"), event, step);
    case "tool.approval_resolved": {
      const working = withMood(state, "working");
      if (approvalGrants(event.payload.decision)) return reduceTool(working, event, step);
      const seq = step.approval?.call?.seq;
      return closeCards(working, seq === undefined ? [] : [seq], "Not allowed.");
    }
    case "progress": {
      const { kind, done, total } = event.payload;
      if (kind !== "rounds") return reduceTool(state, event, step);
      const plan = total === undefined ? String(done) : `${done}/${total}`;
      return { state: { ...state, status: { ...state.status, plan } }, mapped: [] };
    }
    case "plan.updated": {
      const entries = planEntries(event.payload.items);
      return { state, mapped: [{ update: { sessionUpdate: "plan", entries } }] };
    }
    case "context.band":
      return reduceUsage(state, state.contextWindow, event.payload.fraction);
    case "session.renamed": {
      // The empty name gives the derived title back, which ACP calls by no name.
      const title = event.payload.name || null;
      return { state, mapped: [{ update: { sessionUpdate: "session_info_update", title } }] };
    }
    case "session.mode_changed":
      return { state, mapped: modeUpdates(event.payload.mode) };
    case "session.error":
      // Within a turn it may be why the turn fails, and is said when it ends.
      if (state.session.turn !== undefined) return { state, mapped: [] };
      return { state, mapped: [{ notice: "error", text: errorText(event.payload) }] };
    case "session.compacted": {
      const { messages, kept } = event.payload;
      const much = messages === undefined ? "" : ` (${messages} messages; ${kept ?? 0} are kept)`;
      // The context holds less now: what was told of it is out of date.
      return {
        state: { ...state, used: undefined },
        mapped: [{ notice: "info", text: `Earlier messages were summarised${much}.` }],
      };
    }
    case "skill.loaded":
      return { state, mapped: [{ notice: "info", text: `Skill: ${event.payload.name}` }] };
    case "done.proposed": {
      const { criteria } = event.payload;
      const names = criteria.map(({ name }) => name).join(", ");
      const text = `dcode proposes a definition of done, which can only be signed in dcode itself: ${names}`;
      return { state, mapped: [{ notice: "warning", text }] };
    }
    default:
      return { state, mapped: [] };
  }
}

/** A piece of text, with the id of its run: dcode has no ids for messages. */
function say(state: MappingState, kind: TextKind, text: string, seq: number): Next {
  if (text === "") return { state, mapped: [] };
  const message = state.message?.kind === kind ? state.message : { kind, id: `${state.id}:${seq}` };
  const update = {
    sessionUpdate: kind,
    content: { type: "text" as const, text },
    messageId: message.id,
  };
  return { state: { ...state, message }, mapped: [{ update }] };
}

function endTurn(
  before: MappingState,
  event: Extract<KnownEvent, { type: "turn.completed" }>,
  step: SessionStep,
): Next {
  const state = { ...before, message: undefined, status: NO_STATUS };
  const { error } = step.state;
  // Said even where it is the prompt's error too: many clients show no more of that than its code.
  const remark: Mapped[] = error === undefined ? [] : [{ notice: "error", text: errorText(error) }];
  const used = event.payload.usage?.context_tokens;
  if (used === undefined || state.contextWindow === undefined) return { state, mapped: remark };
  const told = tellUsage(state, used, state.contextWindow);
  return { state: told.state, mapped: [...remark, ...told.mapped] };
}

/** A band tells the fullness roughly, so it may only raise what a turn's end has told exactly. */
function reduceUsage(state: MappingState, window: number | undefined, fraction: number): Next {
  const used = Math.round(fraction * (window ?? 0));
  if (window === undefined || used <= (state.used ?? 0)) return { state, mapped: [] };
  return tellUsage(state, used, window);
}

function tellUsage(state: MappingState, used: number, size: number): Next {
  return {
    state: { ...state, used },
    mapped: [{ update: { sessionUpdate: "usage_update", used, size } }],
  };
}

function modeUpdates(mode: string): Mapped[] {
  const { currentModeId } = modeState(mode);
  return [
    { update: { sessionUpdate: "current_mode_update", currentModeId } },
    { update: { sessionUpdate: "config_option_update", configOptions: [modeOption(mode)] } },
  ];
}

function withMood(state: MappingState, mood: string): MappingState {
  // Outside of a turn, such as for a typed command, nobody works.
  if (state.session.turn === undefined || state.status.mood === mood) return state;
  return { ...state, status: { ...state.status, mood } };
}

function endText(event: DcodeEvent): string {
  const interrupted =
    isKnownEvent(event) &&
    event.type === "turn.completed" &&
    event.payload.reason === StopReason.interrupted;
  return interrupted ? "Interrupted." : "It ended without a result.";
}

function errorText({ code, message }: { readonly code: string; readonly message: string }): string {
  return message || code;
}

function isLasting(mapped: Mapped): boolean {
  return "update" in mapped && !stateKinds.has(mapped.update.sessionUpdate);
}
