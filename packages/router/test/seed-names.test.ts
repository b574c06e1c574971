import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seedNames } from "./seed-names.ts";

const directory = new URL("../src/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, directory), "utf8");
const sources = readdirSync(directory)
  .filter((file) => file.endsWith(".ts"))
  .map(read);

/** Exported names of the Go package's documentation, with methods and fields. */
const names = [
  "Agent",
  "Agent.Cancel",
  "Agent.Caps",
  "Agent.ListSessions",
  "Agent.NewSession",
  "Agent.Prompt",
  "Agent.ResumeSession",
  "Agent.SetConfigOption",
  "Agent.SetModel",
  "Attachment",
  "Attachment.ContentType",
  "Attachment.Name",
  "Attachment.ParsedContent",
  "Attachment.URL",
  "ChunkSink",
  "ChunkSink.Done",
  "ChunkSink.Error",
  "ChunkSink.FirstChunk",
  "ChunkSink.Replace",
  "ChunkSink.SetProviderEmoji",
  "ChunkSink.SetStatus",
  "ChunkSink.Text",
  "Config",
  "Config.Agent",
  "Config.AttachmentTTL",
  "Config.AuthErrorHint",
  "Config.Defaults",
  "Config.HTTPClient",
  "Config.MaxAttachmentBytes",
  "Config.MaxInlineImageBytes",
  "Config.Now",
  "Config.SessionTTL",
  "Config.StateDir",
  "Config.SystemPromptProvider",
  "DebugInfo",
  "DebugInfo.ConvID",
  "DebugInfo.Cwd",
  "DebugInfo.LastUsed",
  "DebugInfo.SessionID",
  "DebugInfo.UserID",
  "New",
  "Options",
  "Options.HideThinking",
  "Options.Model",
  "Options.Thinking",
  "ParseOptions",
  "Router",
  "Router.Cancel",
  "Router.Debug",
  "Router.Defaults",
  "Router.Len",
  "Router.Prompt",
  "Router.ReportReaction",
  "Router.RunGC",
  "Turn",
  "Turn.Attachments",
  "Turn.Content",
  "Turn.MessageID",
  "Turn.Role",
];

test("every name of the Go package has a row, and no row is about another", () => {
  expect(Object.keys(seedNames).sort()).toEqual(names);
});

test.each(Object.entries(seedNames))("%s is exported as its row says", (_, row) => {
  expect(read("index.ts")).toMatch(new RegExp(`\\b${row.ours}\\b`));
  if (!("member" in row)) return;
  const body = bodyOf(row.ours);
  expect(body).toMatch(new RegExp(`^  (readonly )?${row.member}\\??[:(]`, "m"));
});

test.each([...new Set(Object.values(seedNames).map(({ ours }) => ours))])(
  "%s says what it is",
  (name) => {
    const said = new RegExp(`\\*/\\nexport (interface|type|function) ${name}\\b`);
    expect(sources.some((source) => said.test(source))).toBe(true);
  },
);

function bodyOf(name: string): string | undefined {
  const whole = new RegExp(`export (?:interface|type) ${name} [^{]*\\{([\\s\\S]*?)\\n\\}`);
  return sources.map((source) => whole.exec(source)?.[1]).find((body) => body !== undefined);
}
