import type { AgentContent } from "@acp-kit/router";
import { escapeLabel, MAX_TITLE_CODE_POINTS, oneLine } from "./label.ts";

const MAX_URI_CODE_POINTS = 300;

const signs: ReadonlyMap<string, string> = new Map([
  ["image", "🖼️ an image"],
  ["audio", "🔊 a sound"],
  ["resource", "📎 a file"],
  ["resource_link", "🔗 a link"],
]);

/** A line on what an agent sent beside its text. Where a link leads is written out: nothing is fetched by looking at it. */
export function renderContent({ type, name, uri, contentType }: AgentContent): string {
  const about = [
    oneLine(name ?? "", MAX_TITLE_CODE_POINTS),
    oneLine(contentType ?? "", MAX_TITLE_CODE_POINTS),
    oneLine(uri ?? "", MAX_URI_CODE_POINTS),
  ]
    .filter((text) => text !== "")
    .map(escapeLabel);
  const sign = signs.get(type) ?? "📎 something that cannot be shown here";
  return `> ${[sign, ...about].join(" · ")}`;
}
