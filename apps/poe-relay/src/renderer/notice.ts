import { quote } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";

/** What the relay says in the middle of an answer. */
export function renderNotice(markdown: string, level: "info" | "warning"): string {
  const sign = level === "info" ? "ℹ️" : "⚠️";
  return quote(`${sign} ${renderMarkdown(markdown).text}`);
}
