import { createHash } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { KnownContentBlock } from "@acp-kit/acp-wire";
import { type Offer, type OfferPolicy, offerFile } from "./offer-file.ts";
import { safeFileName } from "./safe-file-name.ts";
import { SNIFF_BYTES, sniffType } from "./sniff-type.ts";

/** A link that is shown as one: nobody here fetches it. */
export type OfferedLink = { readonly kind: "link"; readonly uri: string; readonly name: string };

/**
 * Decides about content that an agent sent beside its text, by the same policy as offerFile: bytes leave as they came, a
 * link to a file of this machine is that file, and any other link stays a link, because a URL of the agent is never
 * fetched.
 */
export async function offerContent(
  block: Exclude<KnownContentBlock, { type: "text" }>,
  policy: OfferPolicy,
): Promise<Offer | OfferedLink> {
  switch (block.type) {
    case "image":
    case "audio":
      return offerBytes(decode(block.data, policy), block.mimeType, "", policy);
    case "resource": {
      const { resource } = block;
      const bytes = "blob" in resource ? decode(resource.blob, policy) : Buffer.from(resource.text);
      return offerBytes(bytes, resource.mimeType ?? "", lastName(resource.uri), policy);
    }
    case "resource_link": {
      const { uri, name } = block;
      if (!/^file:/i.test(uri)) return { kind: "link", uri, name };
      const file = pathOf(uri);
      return file === undefined
        ? { kind: "refused", reason: "path" }
        : offerFile(file, policy, name);
    }
  }
}

/** @param bytes - Nothing when they are more than one file may have. */
async function offerBytes(
  bytes: Buffer | undefined,
  declared: string,
  name: string,
  { allowance }: OfferPolicy,
): Promise<Offer> {
  if (!bytes || bytes.length > allowance.maxFileBytes)
    return { kind: "refused", reason: "too-large" };
  if (!allowance.take(bytes.length)) return { kind: "refused", reason: "spent" };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const contentType = await sniffType(bytes.subarray(0, SNIFF_BYTES), declared);
  return {
    kind: "offered",
    name: safeFileName(name, { source: sha256, contentType }),
    contentType,
    bytes: bytes.length,
    sha256,
    async *stream() {
      yield bytes;
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Measured before it is decoded: four characters are three bytes. */
function decode(base64: string, { allowance }: OfferPolicy): Buffer | undefined {
  const least = Math.floor((base64.length * 3) / 4) - 2;
  return least > allowance.maxFileBytes ? undefined : Buffer.from(base64, "base64");
}

function lastName(uri: string): string {
  const pathname = URL.parse(uri)?.pathname ?? "";
  try {
    return path.posix.basename(decodeURIComponent(pathname));
  } catch {
    return "";
  }
}

/** Nothing for a file of another host, or a path that cannot be one. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
