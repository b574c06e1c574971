import { quote } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";

/** What the relay says in the middle of an answer. */
export function renderNotice(markdown: string, level: "info" | "warning"): string {
  return quote(`${level === "info" ? "ℹ️" : "⚠️"} ${renderMarkdown(markdown, false).text}`);
}
