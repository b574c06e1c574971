import type { AgentContent } from "@acp-kit/router";
import { MAX_TITLE_CODE_POINTS, oneLine } from "./one-line.ts";

const MAX_URI_CODE_POINTS = 300;

const signs: ReadonlyMap<string, string> = new Map([
  ["image", "🖼️ an image"],
  ["audio", "🔊 a sound"],
  ["resource", "📎 a file"],
  ["resource_link", "🔗 a link"],
]);

/**
 * What an agent sent beside its text, on one line. Where a link leads is written out: nothing is fetched by looking at it.
 *
 * @param escapeLabel - For each of the agent's own words.
 */
export function describeContent(
  { type, name, uri, contentType }: AgentContent,
  escapeLabel: (label: string) => string,
): string {
  const about = [
    oneLine(name ?? "", MAX_TITLE_CODE_POINTS),
    oneLine(contentType ?? "", MAX_TITLE_CODE_POINTS),
    oneLine(uri ?? "", MAX_URI_CODE_POINTS),
  ].filter((text) => text !== "");
  const sign = signs.get(type) ?? "📎 something that cannot be shown here";
  return [sign, ...about.map(escapeLabel)].join(" · ");
}
