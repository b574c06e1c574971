import type { WireFile } from "../intake/event-schema.ts";
import type { SlackFileReference } from "../intake/heard.ts";

const documents = "canvases and lists are no files that can be fetched";

/** What is listed as a file and has no bytes for an app, by its mode. */
const unavailableModes: Readonly<Record<string, string>> = {
  canvas: documents,
  hidden_by_limit: "the workspace's plan hides it",
  list: documents,
  quip: documents,
  tombstone: "it was deleted",
};

/** Where the bytes of a file are, or why there are none for this app. Pure. */
export function describeFile(file: WireFile): SlackFileReference {
  const { id, name, mimetype: contentType, size: bytes } = file;
  const base = { id, name, contentType, bytes };
  const unavailable = whyUnavailable(file);
  if (unavailable !== undefined) return { ...base, url: undefined, unavailable };
  // What is said of it before that may be left out or wrong.
  if (file.file_access === "check_file_info") return { ...base, url: undefined };
  if (file.is_external || file.mode === "external") {
    return { ...base, url: file.external_url ?? file.url_private };
  }
  const renditionUrl = findRendition(file);
  const transcript = readTranscript(file);
  return {
    ...base,
    url: file.url_private_download ?? file.url_private,
    ...(renditionUrl !== undefined && { renditionUrl }),
    ...(transcript !== "" && { transcript }),
  };
}

function whyUnavailable({ mode, file_access: access }: WireFile): string | undefined {
  if (Object.hasOwn(unavailableModes, mode)) return unavailableModes[mode];
  if (access === "file_not_found") return unavailableModes["tombstone"];
  return access === "access_denied" ? "this app may not see it" : undefined;
}

/** The largest thumbnail of a picture; of an office document its PDF. */
function findRendition(file: WireFile): string | undefined {
  if (!file.mimetype.startsWith("image/")) return file.converted_pdf;
  const { thumb_1024, thumb_960, thumb_800, thumb_720, thumb_480, thumb_360 } = file;
  return thumb_1024 ?? thumb_960 ?? thumb_800 ?? thumb_720 ?? thumb_480 ?? thumb_360;
}

function readTranscript({ transcription }: WireFile): string {
  const { content = "", has_more: isCut = false } = transcription?.preview ?? {};
  return content !== "" && isCut ? `${content} […]` : content;
}
