import { describe, expect, test } from "vitest";
import { conversationOf, FOLLOW_MS, isForBot } from "../../src/intake/follow.ts";
import type { HeardMessage } from "../../src/intake/heard.ts";
import { judgePerson } from "../../src/intake/judge-author.ts";
import { parseSlackEvent } from "../../src/intake/parse-event.ts";
import { callback, identity, said } from "./events.ts";

function hear(text: string, part: object = {}): HeardMessage {
  const heard = parseSlackEvent(callback(said(text, part)), { identity });
  if (heard.kind !== "message") throw new Error(`heard ${heard.kind}`);
  return heard;
}

const inThread = { thread_ts: "1600000000.000100" };
const thread = { addressedBy: new Set(["U0ANA"]), lastAnswerAt: 0 };

describe("without a mention, the bot hears", () => {
  test("who has addressed it in this thread, and nobody else", () => {
    expect(isForBot(hear("go on", inThread), thread, 1)).toBe(true);
    expect(isForBot(hear("go on", { ...inThread, user: "U0BOB" }), thread, 1)).toBe(false);
  });

  test("a thread for 7 days after its last answer there", () => {
    expect(FOLLOW_MS).toBe(604_800_000);
    expect(isForBot(hear("go on", inThread), thread, FOLLOW_MS - 1)).toBe(true);
    expect(isForBot(hear("go on", inThread), thread, FOLLOW_MS)).toBe(false);
  });

  test("not what opens with somebody else's mention", () => {
    expect(isForBot(hear("<@U0BOB> look", inThread), thread, 1)).toBe(false);
    expect(isForBot(hear("look <@U0BOB>", inThread), thread, 1)).toBe(true);
  });

  test("no thread that it has not answered in, and no new one", () => {
    expect(isForBot(hear("go on", inThread), undefined, 1)).toBe(false);
    expect(isForBot(hear("go on"), thread, 1)).toBe(false);
  });
});

test("with a mention, the bot hears anywhere, and whoever else is mentioned first", () => {
  expect(isForBot(hear("<@U0BOT> hi"), undefined, 1)).toBe(true);
  expect(isForBot(hear("<@U0BOB> ask <@U0BOT>", inThread), undefined, 1)).toBe(true);
});

test("a thread is a conversation; a direct one without an agent view is one as a whole", () => {
  const direct = { channel: "D0ANA", channel_type: "im" };
  expect(conversationOf(hear("hi"), true)).toBe("T0ACME/C0SHOP/1700000000.000100");
  expect(conversationOf(hear("hi", direct), true)).toBe("T0ACME/D0ANA/1700000000.000100");
  expect(conversationOf(hear("hi", { ...direct, ...inThread }), false)).toBe("T0ACME/D0ANA");
});

test("C11 guests, partners, deactivated people and bots are outsiders", () => {
  const own = { team: "T0ACME", isBot: false, isDeactivated: false, isGuest: false };
  const home = { team: "T0ACME" };
  expect(judgePerson(own, home)).toBeUndefined();
  expect(judgePerson({ ...own, isGuest: true }, home)).toBe("guest");
  expect(judgePerson({ ...own, team: "T0PARTNER" }, home)).toBe("partner");
  expect(judgePerson({ ...own, isDeactivated: true }, home)).toBe("deactivated");
  expect(judgePerson({ ...own, isBot: true }, home)).toBe("bot");
});

test("C11 whoever is of another workspace is none of its own, unless both are of one organisation", () => {
  const other = { team: "T0OTHER", isBot: false, isDeactivated: false, isGuest: false };
  const home = { team: "T0ACME", enterprise: "E0ACME" };
  const colleague = { ...other, enterprise: "E0ACME" };
  expect(judgePerson(colleague, home)).toBeUndefined();
  expect(judgePerson({ ...colleague, isGuest: true }, home)).toBe("guest");
  expect(judgePerson({ ...colleague, isDeactivated: true }, home)).toBe("deactivated");
  expect(judgePerson(other, home)).toBe("partner");
  expect(judgePerson({ ...other, enterprise: "E0PARTNER" }, home)).toBe("partner");
  // Where neither says of which it is, they are not of one.
  expect(judgePerson(other, { team: "T0ACME" })).toBe("partner");
  expect(judgePerson(colleague, { team: "T0ACME" })).toBe("partner");
});
