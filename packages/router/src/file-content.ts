import { hash } from "node:crypto";
import type { KnownContentBlock } from "@acp-kit/acp-wire";
import { asFields, asFieldsList, asText, type Fields } from "./fields.ts";

/** Content of an agent beside text, as far as it is known. */
export type FileContent = Exclude<KnownContentBlock, { type: "text" }>;

/** Content that is a file by itself or names one of this machine: any other link is shown as a link, and never fetched. */
export function isFileContent(value: unknown): value is FileContent {
  const block = asFields(value);
  if (block?.["type"] !== "resource_link") return hasBytes(block);
  return has(block, "name", "uri") && /^file:/i.test(asText(block["uri"]) ?? "");
}

function hasBytes(block: Fields | undefined): boolean {
  switch (block?.["type"]) {
    case "image":
    case "audio":
      return has(block, "data", "mimeType");
    case "resource": {
      const resource = asFields(block["resource"]);
      return has(resource, "uri", "text") || has(resource, "uri", "blob");
    }
    default:
      return false;
  }
}

function has(fields: Fields | undefined, ...names: readonly string[]): boolean {
  return names.every((name) => asText(fields?.[name]) !== undefined);
}

/** So many parts of tool calls are looked at in a turn; a turn sends far fewer. */
const MAX_PARTS = 1_000;

/**
 * What tool calls of one turn have shown beside text. Agents repeat all of a call's content with each update of it, and
 * some say it again in their answer: of the same bytes one is enough.
 */
export class ShownByTools {
  readonly #keys = new Set<string>();

  /** The parts of a tool call's content that are files or links, and were not there before. */
  add(update: unknown): readonly Fields[] {
    const fields = asFields(update);
    const call = asText(fields?.["toolCallId"]) ?? "";
    return asFieldsList(fields?.["content"]).flatMap((part) => {
      const block = part["type"] === "content" ? asFields(part["content"]) : undefined;
      const isLink = block?.["type"] === "resource_link" && has(block, "name", "uri");
      if (!block || !(isLink || hasBytes(block)) || this.#keys.size >= MAX_PARTS) return [];
      // Another call may have written another file at the same place.
      const key = isLink ? `${call} ${digest(asText(block["uri"]) ?? "")}` : keyOf(block);
      if (this.#keys.has(key)) return [];
      this.#keys.add(key);
      return [block];
    });
  }

  /** A tool call has shown the same bytes. */
  has(block: unknown): boolean {
    const fields = asFields(block);
    return fields !== undefined && hasBytes(fields) && this.#keys.has(keyOf(fields));
  }

  clear(): void {
    this.#keys.clear();
  }
}

function keyOf(block: Fields): string {
  const { data, text, blob } = asFields(block["resource"]) ?? block;
  return digest(asText(data) ?? asText(blob) ?? asText(text) ?? "");
}

function digest(text: string): string {
  return hash("sha256", text, "base64");
}
