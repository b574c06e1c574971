import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attachment, Turn } from "../src/index.ts";
import {
  createPromptBlocks,
  describeAttachments,
  findRequest,
  hasContent,
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

test("a prompt is the system prompt, what was said, then the text", () => {
  const preface = { systemPrompt: "Be kind.", history: "seed" };
  const [system, ...rest] = createPromptBlocks(turn("user", "hi", [file("image/png")]), preface);
  expect(system).toMatchObject({ type: "text", text: expect.stringMatching(/^Be kind\.\n\n/) });
  expect(rest).toEqual([
    { type: "text", text: "seed" },
    { type: "text", text: "hi" },
  ]);
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
