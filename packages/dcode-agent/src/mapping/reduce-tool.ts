import { clipText, type KnownToolCallContent, type KnownToolCallFields } from "@acp-kit/acp-wire";
import type { SessionStep, TrackedCall } from "@acp-kit/dcode-client";
import type { EventPayload, KnownEvent } from "@acp-kit/dcode-protocol";
import { isTruncated, toolDiffs } from "./diff.ts";
import type { Mapped } from "./mapped.ts";
import type { Card, MappingState } from "./state.ts";
import { toolKind, toolLocations, toolTitle } from "./tool-card.ts";

type ToolEvent = Extract<
  KnownEvent,
  {
    type:
      | "tool.requested"
      | "tool.completed"
      | "tool.approval_required"
      | "tool.approval_resolved"
      | "progress";
  }
>;
type Next = { readonly state: MappingState; readonly mapped: readonly Mapped[] };

/** What an event means for the cards of the tool calls. Pure. */
export function reduceTool(state: MappingState, event: ToolEvent, step: SessionStep): Next {
  switch (event.type) {
    case "tool.requested":
      return step.call ? request(state, event.payload, step.call) : { state, mapped: [] };
    case "tool.completed":
      return complete(state, event.payload, step.call, event.seq);
    case "tool.approval_required":
      return { state, mapped: [] };
    case "tool.approval_resolved":
      return start(state, step.call ? [step.call.seq] : []);
    case "progress":
      return progress(state, event.payload, step.call);
  }
}

/** The ACP id of a call that is told by the seq of its first event. */
export function cardId(state: Pick<MappingState, "id">, seq: number): string {
  return `${state.id}:${seq}`;
}

function request(
  state: MappingState,
  { name, input }: EventPayload<"tool.requested">,
  call: TrackedCall,
): Next {
  const announced = state.cards.get(call.seq);
  const id = cardId(state, call.seq);
  const title = toolTitle(name, input);
  const card: Card = { id, name, title, shown: title, input, status: "pending" };
  const fields = {
    toolCallId: id,
    title,
    kind: toolKind(name),
    status: "pending" as const,
    ...(input !== null && input !== undefined && { rawInput: input }),
    ...locations(input, state.workspace),
  };
  const sessionUpdate = announced ? "tool_call_update" : "tool_call";
  return {
    state: withCard(state, call.seq, card),
    mapped: [{ update: { sessionUpdate, ...fields } }],
  };
}

function progress(
  state: MappingState,
  { kind, done, total }: EventPayload<"progress">,
  call: TrackedCall | undefined,
): Next {
  // Without a call it counts those that run together: all that were requested have begun.
  if (kind === "in_flight") return start(state, call ? [call.seq] : [...state.cards.keys()]);
  if (call === undefined) return { state, mapped: [] };
  const card = state.cards.get(call.seq);
  if (kind === "arguments" && card === undefined && call.requestedAt === undefined) {
    return announce(state, call);
  }
  if (kind !== "files" || card === undefined) return { state, mapped: [] };
  const shown = `${card.title} (${total === undefined ? done : `${done}/${total}`})`;
  return {
    state: withCard(state, call.seq, { ...card, shown }),
    mapped: [change(card, { title: shown })],
  };
}

/** A call whose arguments still arrive. */
function announce(state: MappingState, { seq, name }: TrackedCall): Next {
  const id = cardId(state, seq);
  const title = toolTitle(name, undefined);
  const card: Card = { id, name, title, shown: title, input: undefined, status: "pending" };
  const fields = { toolCallId: id, title, kind: toolKind(name), status: "pending" as const };
  return {
    state: withCard({ ...state, message: undefined }, seq, card),
    mapped: [{ update: { sessionUpdate: "tool_call", ...fields } }],
  };
}

function start(before: MappingState, seqs: readonly number[]): Next {
  let state = before;
  const mapped: Mapped[] = [];
  for (const seq of seqs) {
    const card = state.cards.get(seq);
    if (card?.status !== "pending") continue;
    state = withCard(state, seq, { ...card, status: "in_progress" });
    mapped.push(change(card, { status: "in_progress" }));
  }
  return { state, mapped };
}

function complete(
  state: MappingState,
  result: EventPayload<"tool.completed">,
  call: TrackedCall | undefined,
  seq: number,
): Next {
  const card = call && state.cards.get(call.seq);
  const name = card?.name || call?.name || "tool";
  const fields: KnownToolCallFields = {
    status: result.ok ? "completed" : "failed",
    content: contentOf(name, card?.input, result, state.workspace),
    rawOutput: rawOutputOf(result),
  };
  if (call === undefined || card === undefined) {
    // Some daemons complete a call that they never announced, or that was closed as denied.
    const toolCallId = cardId(state, call?.seq ?? seq);
    const sessionUpdate = call === undefined ? "tool_call" : "tool_call_update";
    const update = { sessionUpdate, toolCallId, title: name, kind: toolKind(name), ...fields };
    return {
      state,
      mapped: [{ update: update as Extract<Mapped, { update: unknown }>["update"] }],
    };
  }
  const cards = new Map(state.cards);
  cards.delete(call.seq);
  const title = card.shown === card.title ? {} : { title: card.title };
  return { state: { ...state, cards }, mapped: [change(card, { ...title, ...fields })] };
}

/** The changes of files where there are any, else what the tool said. */
function contentOf(
  name: string,
  input: unknown,
  result: EventPayload<"tool.completed">,
  workspace: string,
): KnownToolCallContent[] {
  const diffs = result.ok ? toolDiffs(name, input, result, workspace) : [];
  const cut = diffs.length > 0 && isTruncated(result.diff ?? "");
  const text = diffs.length === 0 ? result.output : cut ? "The rest of the diff was left out." : "";
  if (text === "") return diffs;
  return [...diffs, { type: "content", content: { type: "text", text: clipText(text) } }];
}

/** Everything that the daemon said of it, its output whole; the diff stands in the content. */
function rawOutputOf(result: EventPayload<"tool.completed">): object {
  const { tool_call_id: _id, diff: _diff, ...rest } = result;
  return rest;
}

function locations(input: unknown, workspace: string): Pick<KnownToolCallFields, "locations"> {
  const found = toolLocations(input, workspace);
  return found.length > 0 ? { locations: found } : {};
}

function change(card: Card, fields: KnownToolCallFields): Mapped {
  return { update: { sessionUpdate: "tool_call_update", toolCallId: card.id, ...fields } };
}

function withCard(state: MappingState, seq: number, card: Card): MappingState {
  return { ...state, cards: new Map(state.cards).set(seq, card) };
}
