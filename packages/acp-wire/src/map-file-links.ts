import { fileURLToPath, pathToFileURL } from "node:url";
import type { ContentBlock } from "./types/content.ts";

/** Content whose links to files lead to where another side has those files; everything else stays as it is. */
export function mapFileLinks(
  blocks: readonly ContentBlock[],
  translate: (path: string) => string,
): readonly ContentBlock[] {
  return blocks.map((block) => {
    const resource: unknown = "resource" in block ? block.resource : undefined;
    if (block.type === "resource_link" && "uri" in block) {
      return { ...block, uri: mapUri(block.uri, translate) } as ContentBlock;
    }
    if (block.type === "resource" && typeof resource === "object" && resource !== null) {
      const { uri } = resource as { uri?: unknown };
      return { ...block, resource: { ...resource, uri: mapUri(uri, translate) } } as ContentBlock;
    }
    return block;
  });
}

function mapUri(uri: unknown, translate: (path: string) => string): unknown {
  if (typeof uri !== "string" || !/^file:/i.test(uri)) return uri;
  try {
    return pathToFileURL(translate(fileURLToPath(uri))).href;
  } catch {
    // Of another host, or no path: whoever made it knows what it means.
    return uri;
  }
}
