import { expect, test } from "vitest";
import { attachmentsOf } from "../../src/files/attachments-of.ts";
import { describeFile } from "../../src/files/describe-file.ts";
import { findFileId, parseFileAddress } from "../../src/files/file-address.ts";
import { fileSchema } from "../../src/intake/event-schema.ts";

const base = "https://files.slack.com/files-pri/T0ACME-F1";
const hosted = {
  id: "F1",
  name: "a.bin",
  mimetype: "application/octet-stream",
  size: 3,
  mode: "hosted",
  url_private: `${base}/a.bin`,
  url_private_download: `${base}/download/a.bin`,
};
const download = hosted.url_private_download;

/** What the router gets for a file as an event describes it. */
const attachmentOf = (file: object) =>
  attachmentsOf([describeFile(fileSchema.parse({ ...hosted, ...file }))])[0];

test.each<[string, object, object]>([
  ["one as any other", {}, { url: download, name: "a.bin", parsedContent: "" }],
  ["one without an address for downloads", { url_private_download: 7 }, { url: `${base}/a.bin` }],
  ["a snippet", { mode: "snippet" }, { url: download }],
  ["a post", { mode: "post" }, { url: download }],
  [
    "a picture, by its largest thumbnail",
    { mimetype: "image/heic", thumb_360: "https://t/360", thumb_720: "https://t/720" },
    { url: download, renditionUrl: "https://t/720" },
  ],
  [
    "a document, by its PDF",
    { mimetype: "application/msword", converted_pdf: "https://t/pdf", thumb_360: "https://t/360" },
    { url: download, renditionUrl: "https://t/pdf" },
  ],
  [
    "a clip, with what was heard in it",
    { mimetype: "audio/mp4", transcription: { preview: { content: "Fix it." } } },
    { parsedContent: "Fix it." },
  ],
  [
    "a long clip, with the beginning of it",
    { transcription: { preview: { content: "Fix it", has_more: true } } },
    { parsedContent: "Fix it […]" },
  ],
  [
    "one from another workspace, whatever its event claims",
    { file_access: "check_file_info" },
    { url: "slack-file:F1", renditionUrl: "slack-file:F1#rendition" },
  ],
  [
    "one that is only listed",
    { is_external: true, url_private: "https://d/" },
    { url: "https://d/" },
  ],
  [
    "one that is only listed, at its own address",
    { mode: "external", external_url: "https://d/" },
    { url: "https://d/" },
  ],
  ["a canvas", { mode: "quip" }, { url: "slack-file:F1" }],
  ["a list", { mode: "list" }, { url: "slack-file:F1" }],
  ["a deleted one", { mode: "tombstone" }, { url: "slack-file:F1" }],
  [
    "one without any address",
    { url_private: null, url_private_download: null },
    { url: "slack-file:F1" },
  ],
])("the router gets %s", (_what, file, attachment) => {
  expect(attachmentOf(file)).toMatchObject(attachment);
});

test("a file is told by its address or by its URL, and by nothing else", () => {
  expect(parseFileAddress("slack-file:F1#rendition")).toEqual({ id: "F1", isRendition: true });
  for (const url of [
    "slack-file:",
    "slack-file:F1#x",
    "slack-file:F1/..",
    " slack-file:F1",
    download,
  ]) {
    expect(parseFileAddress(url)).toBeUndefined();
  }
  expect(findFileId(download)).toBe("F1");
  expect(findFileId("https://files.slack.com/files-tmb/T0ACME-F1-ab12/a_1024.png")).toBe("F1");
  for (const url of ["", "https://files.slack.com/?/files-pri/T0ACME-F1/a", "https://a/b"]) {
    expect(findFileId(url)).toBeUndefined();
  }
});
