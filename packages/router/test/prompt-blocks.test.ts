import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attachment, Turn } from "../src/index.ts";
import {
  createPromptBlocks,
  describeAttachments,
  findRequest,
  hasContent,
  MAX_PARSED_CHARS,
  neutraliseCommand,
} from "../src/prompt-blocks.ts";

const turn = (role: string, content: string, attachments: readonly Attachment[] = []): Turn => ({
  role,
  content,
  messageId: "",
  attachments,
});
const file = (contentType: string, url = "https://x.test/f"): Attachment => ({
  url,
  contentType,
  name: "f",
  parsedContent: "",
});

test("the newest message of a person is the one to answer", () => {
  const query = [turn("user", "a"), turn("bot", "b"), turn("user", "c"), turn("system", "d")];
  expect(findRequest(query)?.content).toBe("c");
  expect(findRequest([turn("bot", "b")])).toBeUndefined();
});

test("white space is content, nothing and an unreachable file are not", () => {
  expect(hasContent(turn("user", " "))).toBe(true);
  expect(hasContent(turn("user", ""))).toBe(false);
  expect(hasContent(turn("user", "", [file("image/png", "")]))).toBe(false);
  expect(hasContent(turn("user", "", [file("image/png")]))).toBe(true);
});

test.each<[string[], string]>([
  [["image/png"], "[User attached an image]"],
  [["text/plain"], "[User attached a file]"],
  [["image/png", "image/gif"], "[User attached 2 images]"],
  [["image/png", "text/plain"], "[User attached 2 files]"],
])("a message of %j alone says so", (types, expected) => {
  expect(describeAttachments(types.map((type) => file(type)))).toBe(expected);
});

test("a prompt is the system prompt, what was said, the text, then a link for each file", () => {
  const preface = { systemPrompt: "Be kind.", history: "seed" };
  const [system, ...rest] = createPromptBlocks(turn("user", "hi", [file("image/png")]), preface);
  expect(system).toMatchObject({ type: "text", text: expect.stringMatching(/^Be kind\.\n\n/) });
  expect(rest).toEqual([
    { type: "text", text: "seed" },
    { type: "text", text: "hi" },
    { type: "resource_link", name: "f", uri: "https://x.test/f", mimeType: "image/png" },
  ]);
});

test("what the platform read out of a file goes with it to an agent that takes it, up to a bound", () => {
  const read = (parsedContent: string, embeds: boolean) =>
    createPromptBlocks(turn("user", "x", [{ ...file("text/plain"), parsedContent }]), {}, embeds);
  const kinds = (...args: Parameters<typeof read>) => read(...args).map(({ type }) => type);
  expect(kinds("words", false)).toEqual(["text", "resource_link"]);
  expect(kinds("", true)).toEqual(["text", "resource_link"]);
  const resource = { uri: "https://x.test/f", text: "words", mimeType: "text/plain" };
  expect(read("words", true)[1]).toEqual({ type: "resource", resource });
  expect(kinds("words", true)).toEqual(["text", "resource", "resource_link"]);
  const long = JSON.stringify(read("y".repeat(MAX_PARSED_CHARS + 7), true)[1]);
  expect(long).toContain(String.raw`y\n(7 more characters are left out.)`);
  expect(long.length).toBeLessThan(MAX_PARSED_CHARS + 200);
});

test.each([
  ["/login", ["login"], ["login"], "/login"],
  ["/login now", ["login"], ["/login"], "/login now"],
  ["/login", [], ["login"], " /login"],
  ["/login", ["login"], [], " /login"],
  ["/loginx", ["login"], ["login"], " /loginx"],
  ["/", [""], [""], " /"],
  ["/ login", ["login"], ["login"], " / login"],
  ["/Login", ["login"], ["login"], " /Login"],
  ["see /login", [], [], "see /login"],
  [" /login", ["login"], ["login"], " /login"],
])(
  "C9: the text %j with %j allowed and %j advertised reaches the agent as %j",
  (text, allowed, advertised, expected) => {
    expect(neutraliseCommand(text, allowed, advertised)).toBe(expected);
  },
);

test("C9: no text begins with a slash unless its command is allowed and advertised", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), fc.array(fc.string()), (text, allowed, own) => {
      const sent = neutraliseCommand(`/${text}`, allowed, own);
      const name = /^\/(\S+)/.exec(`/${text}`)?.[1] ?? "";
      const isOpen = allowed.includes(name) && own.some((one) => one.replace(/^\//, "") === name);
      expect(sent.startsWith("/")).toBe(isOpen && name !== "");
    }),
  );
});
