import { readFileSync } from "node:fs";
import type { Display, EventBody, PlanEntry } from "@acp-kit/router";
import type { Status } from "@acp-kit/statusline";

type Options = {
  readonly hide_thinking?: boolean;
  readonly show_plans?: boolean;
  readonly show_tools?: boolean;
  readonly show_tool_details?: boolean;
};

/** An ACP update in short: see `updates` in the file. */
type Update = {
  readonly update: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly blocks?: readonly string[];
  readonly entries?: readonly PlanEntry[];
  readonly stopReason?: string;
};

type Inputs = {
  body: { options: Options; updates: readonly Update[] };
  escapeFlags: string;
  escapeFlagsStream: readonly string[];
  statusLine: Status;
  footer: { body: string; status: Status };
  spinner: { status: Status; label?: string; animate?: boolean; frame?: number };
  checklist: readonly PlanEntry[];
};

type Vector = {
  readonly id: string;
  readonly fn: string;
  readonly input: unknown;
  readonly expect: unknown;
};

const file = JSON.parse(
  readFileSync(new URL("../vectors/poe-render.json", import.meta.url), "utf8"),
) as { readonly default_options: Required<Options>; readonly cases: readonly Vector[] };

export const allVectors = file.cases;

export function vectorsOf<Fn extends keyof Inputs, Expect = string>(fn: Fn) {
  return file.cases.filter((one) => one.fn === fn) as readonly (Vector & {
    readonly input: Inputs[Fn];
    readonly expect: Expect;
  })[];
}

export function displayOf(options: Options): Display {
  const all = { ...file.default_options, ...options };
  return {
    thoughts: !all.hide_thinking,
    plan: all.show_plans,
    tools: all.show_tools,
    toolDetails: all.show_tool_details,
  };
}

/** What the router makes of an update. */
export function eventOf(update: Update): EventBody {
  const content = update.blocks?.map((text) => ({ kind: "text" as const, text }));
  switch (update.update) {
    case "agent_message_chunk":
      return { kind: "text", text: update.text ?? "" };
    case "agent_thought_chunk":
      return { kind: "thought", text: update.text ?? "" };
    case "tool_call":
      return {
        kind: "tool-start",
        id: update.toolCallId ?? "",
        title: update.title ?? "",
        toolKind: update.kind ?? "other",
        status: update.status ?? "pending",
        content: content ?? [],
      };
    case "tool_call_update":
      return {
        kind: "tool-update",
        id: update.toolCallId ?? "",
        ...(update.title !== undefined && { title: update.title }),
        ...(update.kind !== undefined && { toolKind: update.kind }),
        ...(update.status !== undefined && { status: update.status }),
        ...(content && { content }),
      };
    case "plan":
      return { kind: "plan", entries: update.entries ?? [] };
    case "turn_end":
      return {
        kind: "turn-end",
        outcome: { kind: "completed", stopReason: update.stopReason ?? "" },
      };
    default:
      return { kind: "unknown-update", update };
  }
}
