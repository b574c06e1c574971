import type { ContentBlock } from "../types/content.ts";

/** Longest title, in code points; a cut one ends with three dots. */
const MAX_TITLE = 80;

/**
 * A prompt as one text: text blocks, the text of embedded resources, and links as `name: uri`,
 * with a blank line between. Images, audio and bytes have no text and are left out.
 */
export function flattenPrompt(blocks: readonly ContentBlock[]): string {
  const texts = blocks.map(textOf).filter((text) => text.trim() !== "");
  return texts.join("\n\n").trim();
}

/** A title for a session, made of its first prompt. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const points = Array.from(line);
  return points.length <= MAX_TITLE ? line : `${points.slice(0, MAX_TITLE - 3).join("")}...`;
}

function textOf(block: ContentBlock): string {
  const { type, text, resource, uri, name } = block as { [key: string]: unknown };
  if (type === "text") return typeof text === "string" ? text : "";
  if (type === "resource_link" && typeof uri === "string") {
    return typeof name === "string" && name !== "" ? `${name}: ${uri}` : uri;
  }
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    const { text: inline } = resource as { text?: unknown };
    return typeof inline === "string" ? inline : "";
  }
  return "";
}
