import fc from "fast-check";
import { expect, test } from "vitest";
import { formatConversationKey, parseConversationKey } from "../src/conversation-key.ts";

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,20}$/);

test("a key gives back surface, bot and id, whatever the platform's id is", () => {
  fc.assert(
    fc.property(name, name, fc.string({ unit: "binary" }), (surface, bot, id) => {
      expect(parseConversationKey(formatConversationKey({ surface, bot, id }))).toEqual({
        surface,
        bot,
        id,
      });
    }),
  );
});

test("two bots never share a conversation", () => {
  const key = (bot: string, id: string) => formatConversationKey({ surface: "poe", bot, id });
  expect(key("a", "b/c")).not.toBe(key("a-b", "c"));
  expect(parseConversationKey(key("a", "../b/c\n")).bot).toBe("a");
});

test.each(["", "poe", "poe/shop", "/shop/id", "poe//id"])("%j is no key", (key) => {
  expect(() => parseConversationKey(key)).toThrow(TypeError);
});
