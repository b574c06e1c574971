import type { AttachmentLimits } from "./limits.ts";

/** What models take as images. */
const imageTypes = new Set(["image/gif", "image/jpeg", "image/png", "image/webp"]);

/** What keeps a file from being shown to a model as a picture; nothing when it can be. Pure. */
export function unshownBecause(
  { contentType, bytes }: { readonly contentType: string; readonly bytes: number },
  { maxInlineImageBytes }: Pick<AttachmentLimits, "maxInlineImageBytes">,
): "type" | "size" | undefined {
  if (!imageTypes.has(contentType)) return "type";
  return bytes > maxInlineImageBytes ? "size" : undefined;
}
