import type { Attachment } from "@acp-kit/router";
import type { SlackFileReference } from "../intake/heard.ts";
import { formatFileAddress } from "./file-address.ts";

/**
 * The files of a message as the router takes them. Each has an address that `createSlackDownloads` fetches, or refuses
 * in words for people: nothing is asked here, so that a message is acknowledged at once. Pure.
 */
export function attachmentsOf(files: readonly SlackFileReference[]): readonly Attachment[] {
  return files.map(({ id, name, contentType, url, renditionUrl, transcript = "", unavailable }) => {
    const base = { name, contentType, parsedContent: transcript };
    if (url !== undefined) {
      return { ...base, url, ...(renditionUrl !== undefined && { renditionUrl }) };
    }
    const asked = { ...base, url: formatFileAddress({ id, isRendition: false }) };
    if (unavailable !== undefined) return asked;
    return { ...asked, renditionUrl: formatFileAddress({ id, isRendition: true }) };
  });
}
