import { pathToFileURL } from "node:url";
import type { ContentBlock, PromptCapabilities } from "@acp-kit/acp-wire";
import type { AttachmentErrorCode } from "./errors.ts";
import type { AttachmentLimits } from "./limits.ts";
import { openRegularFile, readAtMost } from "./open-regular-file.ts";
import { cutText, MAX_PARSED_CHARS } from "./parsed-text.ts";
import { unshownBecause } from "./shown-pictures.ts";
import type { IncomingFile, KeptRendition } from "./take-in.ts";

/** What the agent is sent for the files of a message. */
export type AttachmentBlocks = {
  readonly blocks: readonly ContentBlock[];
  /** One sentence for the chat, when the model was not shown everything. */
  readonly unseen?: string;
};

/**
 * In the order of the files: what the platform read out of one, a link to the kept original, and the picture or sound
 * itself where the agent takes it. Of a file that could not be fetched, what the platform read out of it and the
 * original URL are passed on, and why it was missed; a URL that was refused itself is not.
 *
 * @param capabilities - As the agent advertised them; none are assumed.
 * @param copies - Where the agent finds files that it cannot open where they are kept, by their paths there.
 */
export async function createAttachmentBlocks(
  files: readonly IncomingFile[],
  capabilities: PromptCapabilities | undefined,
  limits: Pick<AttachmentLimits, "maxInlineImageBytes">,
  copies: ReadonlyMap<string, string> = new Map(),
): Promise<AttachmentBlocks> {
  const blocks: ContentBlock[] = [];
  const unseen: string[] = [];
  const missed: string[] = [];
  const uriOf = (file: string) => pathToFileURL(copies.get(file) ?? file).href;
  for (const file of files) {
    if (file.kind === "missed") {
      const { attachment, code } = file;
      const isRefused = refusedUrls.has(code);
      const text = capabilities?.embeddedContext ? readText(file) : "";
      if (text !== "") {
        const uri = isRefused
          ? `attachment:${encodeURIComponent(attachment.name.toWellFormed())}`
          : attachment.url;
        blocks.push({ type: "resource", resource: { uri, text, mimeType: "text/plain" } });
      }
      if (!isRefused) blocks.push(linkTo(attachment.url, attachment));
      const because = file.reason ?? missedBecause[code];
      missed.push(`${JSON.stringify(labelOf(file))} (${because})`);
      unseen.push(`${labelOf(file)} (${text === "" ? "" : "only its text is; "}${because})`);
      continue;
    }
    const uri = uriOf(file.path);
    const { name, contentType: mimeType } = file;
    const text = capabilities?.embeddedContext ? readText(file) : "";
    if (text !== "")
      blocks.push({ type: "resource", resource: { uri, text, mimeType: "text/plain" } });
    blocks.push({ type: "resource_link", name, uri, mimeType });
    if (file.textPath !== undefined) {
      const textUri = uriOf(file.textPath);
      blocks.push({
        type: "resource_link",
        name: `${name}.txt`,
        uri: textUri,
        mimeType: "text/plain",
      });
    }
    const { rendition } = file;
    if (rendition) {
      const { name, path, contentType: mimeType } = rendition;
      blocks.push({ type: "resource_link", name, uri: uriOf(path), mimeType });
    }
    const pictured = rendition?.contentType.startsWith("image/") ? rendition : file;
    const shown = await showInline(pictured, capabilities, limits);
    if (typeof shown === "string") unseen.push(`${labelOf(file)} (saved, but ${shown})`);
    else if (shown) blocks.push(shown);
  }
  if (missed.length > 0) {
    const text = `(Files of this message that could not be had: ${missed.join(", ")}.)`;
    blocks.push({ type: "text", text });
  }
  if (unseen.length === 0) return { blocks };
  return { blocks, unseen: `Not shown to the model: ${unseen.join(", ")}.` };
}

/** The block, why there is none although the file is a picture or sound, or nothing for any other file. */
async function showInline(
  file: KeptRendition,
  capabilities: PromptCapabilities | undefined,
  limits: Pick<AttachmentLimits, "maxInlineImageBytes">,
): Promise<ContentBlock | string | undefined> {
  const { contentType: mimeType, bytes } = file;
  const [kind] = mimeType.split("/");
  if (kind !== "image" && kind !== "audio") return undefined;
  if (!capabilities?.[kind]) return `the agent takes no ${kind === "image" ? "images" : "sound"}`;
  const maxBytes = limits.maxInlineImageBytes;
  const cause = kind === "image" ? unshownBecause(file, limits) : undefined;
  if (cause === "type") return `models take no ${mimeType}`;
  if (bytes > maxBytes) return `larger than ${formatBytes(maxBytes)}`;
  // The agent may have put something else there since.
  await using handle = await openRegularFile(file.path);
  const content = handle && (await readAtMost(handle, maxBytes).catch(() => undefined));
  if (!content) return "it cannot be read any more";
  return { type: kind, data: content.toString("base64"), mimeType };
}

function readText(file: IncomingFile): string {
  const { parsedContent } = file.attachment;
  const textPath = file.kind === "kept" ? file.textPath : undefined;
  const text = cutText(parsedContent, MAX_PARSED_CHARS);
  const left = parsedContent.length - text.length;
  if (left === 0) return text;
  const rest = textPath === undefined ? "" : "; the whole text is in the file that is linked below";
  return `${text}\n(${left} more characters are left out${rest}.)`;
}

function linkTo(uri: string, { name, contentType }: IncomingFile["attachment"]): ContentBlock {
  const mimeType = contentType === "" ? {} : { mimeType: contentType };
  return { type: "resource_link", name: name === "" ? uri : name, uri, ...mimeType };
}

/** A name as it may stand in a chat, on one line. */
function labelOf(file: IncomingFile): string {
  if (file.kind === "kept") return `${file.name}, ${formatBytes(file.bytes)}`;
  const name = file.attachment.name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return name === "" ? "a file" : cutText(name, 100);
}

function formatBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

/** An agent that followed these would do what the guard has refused. */
const refusedUrls: ReadonlySet<AttachmentErrorCode> = new Set([
  "url",
  "host",
  "address",
  "redirects",
]);

const missedBecause: Readonly<Record<AttachmentErrorCode, string>> = {
  url: "its address is not one that is fetched",
  host: "it is not at a place that files are fetched from",
  address: "it is at an address that may not be contacted",
  redirects: "its address leads nowhere",
  status: "it could not be fetched: the server refused it",
  encoding: "it could not be fetched: the server compressed it",
  network: "it could not be fetched: the connection failed",
  timeout: "it could not be fetched: the server took too long",
  "too-large": "too large to be fetched",
  quota: "this conversation holds as many files as it may",
  unwritable: "it could not be saved",
  "inside-checkout": "it could not be saved",
  stopped: "its download was stopped",
  unavailable: "it is not given to this relay",
  "too-many": "more files came with the message than are taken",
};
