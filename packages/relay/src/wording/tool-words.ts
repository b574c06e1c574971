import type { ToolView } from "@acp-kit/router";
import { MAX_TITLE_CODE_POINTS, oneLine } from "./one-line.ts";

const emoji: ReadonlyMap<string, string> = new Map([
  ["read", "📖"],
  ["edit", "✏️"],
  ["delete", "🗑️"],
  ["move", "📦"],
  ["search", "🔍"],
  ["execute", "🔧"],
  ["fetch", "🌐"],
  ["think", "💭"],
  ["switch_mode", "🔀"],
]);

/** The sign of a kind of tool. */
export function toolEmoji(toolKind: string): string {
  return emoji.get(toolKind) ?? "🛠️";
}

/** What a tool call is called, without markup: its title, else its kind where that says something. */
export function toolLabel(tool: ToolView, maxCodePoints = MAX_TITLE_CODE_POINTS): string {
  const kind = tool.toolKind === "other" ? "" : tool.toolKind;
  return oneLine(tool.title, maxCodePoints) || oneLine(kind, maxCodePoints) || "tool";
}
