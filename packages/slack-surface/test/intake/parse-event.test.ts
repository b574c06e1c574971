import type { SlackBot } from "@acp-kit/relay";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSlackEvent } from "../../src/intake/parse-event.ts";
import vectors from "../vectors/events.json" with { type: "json" };
import { callback, identity, said } from "./events.ts";

const parse = (event: object, part: object = {}) =>
  parseSlackEvent(callback(event, part), { identity });
const reasonOf = (event: object, part: object = {}) => {
  const heard = parse(event, part);
  return heard.kind === "ignored" ? heard.reason : heard.kind;
};

test.each(vectors.cases)("$id is understood", ({ event, heard }) => {
  expect(parse(event)).toMatchObject(heard);
});

describe("a message", () => {
  test("and its mention event have the same key, and mean the same", () => {
    const message = said("<@U0BOT> hello");
    const { channel_type: _, ...mention } = { ...message, type: "app_mention" } as Record<
      string,
      unknown
    >;
    const heard = parse(message);
    expect(heard).toMatchObject({ kind: "message", key: "T0ACME/C0SHOP/1700000000.000100" });
    expect(parse(mention)).toEqual(heard);
  });

  test("loses the mention that it opens with, and no other", () => {
    expect(parse(said("<@U0BOT>: hi <@U0BOT>"))).toMatchObject({ text: "hi @U0BOT" });
    expect(parse(said("<@U0BOT|agent> hi"))).toMatchObject({ text: "hi", isAddressed: true });
    expect(parse(said("hey <@U0BOT>"))).toMatchObject({ text: "hey @U0BOT", isAddressed: true });
    expect(parse(said("<@U0BOB> hi"))).toMatchObject({
      text: "@U0BOB hi",
      isAddressed: false,
      opensWithOther: true,
    });
  });

  test("that only writes like a mention is none: it is decoded after it was looked at", () => {
    expect(parse(said("&lt;@U0BOT&gt; hi"))).toMatchObject({
      text: "<@U0BOT> hi",
      isAddressed: false,
    });
  });

  test("is in the thread of its root, or opens one", () => {
    expect(parse(said("hi"))).toMatchObject({
      place: { thread: "1700000000.000100", isInThread: false, kind: "channel" },
    });
    expect(parse(said("hi", { thread_ts: "1600000000.000100" }))).toMatchObject({
      place: { thread: "1600000000.000100", isInThread: true },
    });
  });

  test("in a direct conversation is for the bot", () => {
    expect(parse(said("hi", { channel: "D0ANA", channel_type: "im" }))).toMatchObject({
      isAddressed: true,
      place: { kind: "direct" },
    });
    expect(parse(said("hi", { channel: "G0GROUP", channel_type: "mpim" }))).toMatchObject({
      isAddressed: false,
      place: { kind: "group" },
    });
  });

  test("with files counts without a text, and so does one that is shown in the channel too", () => {
    const files = [
      { id: "F1", name: "a.png", mimetype: "image/png", size: 3, url_private: "https://files" },
      { id: "F2", file_access: "check_file_info" },
    ];
    expect(parse(said("", { subtype: "file_share", files }))).toMatchObject({
      kind: "message",
      files: [
        { id: "F1", name: "a.png", contentType: "image/png", bytes: 3, url: "https://files" },
        { id: "F2", url: undefined },
      ],
    });
    expect(reasonOf(said("hi", { subtype: "thread_broadcast" }))).toBe("message");
  });

  test("C11 of a partner carries the partner's team", () => {
    const heard = parse(said("hi", { user: "U0PAT", user_team: "T0PARTNER" }), {
      is_ext_shared_channel: true,
    });
    expect(heard).toMatchObject({
      author: { user: "U0PAT", team: "T0PARTNER" },
      place: { team: "T0ACME", isShared: true },
    });
  });
});

describe("nothing is taken from", () => {
  const rows: readonly [who: string, message: object, reason: string][] = [
    ["the bot itself", said("x", { user: "U0BOT" }), "own"],
    ["the bot's own posts", said("x", { user: "U0OTHER", bot_id: "B0BOT" }), "own"],
    ["a person's token of this app", said("x", { bot_id: "B9", app_id: "A0APP" }), "own"],
    ["another bot", said("x", { user: "U0OTHER", bot_id: "B0OTHER", app_id: "A9" }), "bot"],
    ["a bot without a user", said("x", { user: undefined, subtype: "bot_message" }), "bot"],
    ["the platform", said("x", { user: "USLACKBOT" }), "bot"],
    ["nobody", said("x", { user: undefined }), "no-author"],
    ["who joins", said("x", { subtype: "channel_join" }), "subtype"],
    [
      "a mention that was edited in",
      said("x", { type: "app_mention", edited: { ts: "1" } }),
      "edited-mention",
    ],
  ];

  test.each(rows)("%s", (_who, message, reason) => {
    expect(reasonOf(message)).toBe(reason);
    const mention = { ...message, type: "app_mention" };
    if (reason !== "edited-mention") expect(reasonOf(mention)).toBe(reason);
  });

  test("C37 another app, or another workspace", () => {
    expect(reasonOf(said("x"), { api_app_id: "A0OTHER" })).toBe("foreign-app");
    expect(reasonOf(said("x"), { authorizations: [{ team_id: "T0OTHER" }] })).toBe("foreign-team");
    const fromPartner = { team_id: "T0PARTNER", authorizations: [{ team_id: "T0ACME" }] };
    expect(reasonOf(said("x"), fromPartner)).toBe("message");
  });

  test("a bot, unless it is one of those that may be heard", () => {
    const event = callback(said("x", { user: "U0OTHER", bot_id: "B0OTHER" }));
    const bots = new Set(["B0OTHER"]);
    expect(parseSlackEvent(event, { identity, bots })).toMatchObject({
      kind: "message",
      author: { bot: "B0OTHER" },
    });
    const own = callback(said("x", { bot_id: "B0BOT" }));
    expect(parseSlackEvent(own, { identity, bots: new Set(["B0BOT"]) })).toMatchObject({
      reason: "own",
    });
  });
});

describe("a change of a message", () => {
  const changed = (before: object, after: object) =>
    parse({
      type: "message",
      subtype: "message_changed",
      channel: "C0SHOP",
      channel_type: "channel",
      ts: "1700000009.000100",
      previous_message: said("old", before),
      message: said("old", after),
    });

  test("of its text is an edit, with the key of the message", () => {
    expect(changed({}, { text: "<@U0BOT> new", edited: { ts: "1" } })).toMatchObject({
      kind: "edit",
      before: "old",
      message: { key: "T0ACME/C0SHOP/1700000000.000100", text: "new", isAddressed: true },
    });
  });

  test("of anything else is none", () => {
    expect(changed({}, { attachments: [{ title: "a link" }] })).toEqual({
      kind: "ignored",
      reason: "unchanged",
    });
  });

  test("by the bot itself is its own, though the event names nobody", () => {
    const own = { user: "U0BOT", bot_id: "B0BOT" };
    expect(changed(own, { ...own, text: "more" })).toEqual({ kind: "ignored", reason: "own" });
  });
});

test("a deletion names the message that is gone", () => {
  const deleted = {
    type: "message",
    subtype: "message_deleted",
    channel: "C0SHOP",
    channel_type: "channel",
    ts: "1700000009.000100",
    deleted_ts: "1700000000.000100",
    previous_message: said("x", { thread_ts: "1600000000.000100" }),
  };
  expect(parse(deleted)).toMatchObject({
    kind: "deletion",
    key: "T0ACME/C0SHOP/1700000000.000100",
    place: { thread: "1600000000.000100" },
  });
  const own = { ...deleted, previous_message: said("x", { user: "U0BOT", bot_id: "B0BOT" }) };
  expect(reasonOf(own)).toBe("own");
});

test.each([
  ["channel", "channels"],
  ["group", "private-channels"],
  ["mpim", "group-messages"],
  ["im", "direct-messages"],
] as const)(
  "what is said in a place of the kind %s is heard with the feature %s alone",
  (type, feature) => {
    const kinds: SlackBot["features"] = [
      ...(["channels", "private-channels", "group-messages", "direct-messages"] as const),
    ];
    const heardWith = (event: object, features: SlackBot["features"]) => {
      const heard = parseSlackEvent(callback(event), { identity, features });
      return heard.kind === "ignored" ? heard.reason : heard.kind;
    };
    const message = said("<@U0BOT> hi", { channel_type: type });
    const others = kinds.filter((each) => each !== feature);
    expect(heardWith(message, [feature])).toBe("message");
    expect(heardWith(message, others)).toBe("feature-off");
    const edited = { ...message, subtype: "message_changed", message: said("b"), text: undefined };
    expect(heardWith({ ...edited, previous_message: said("a") }, [feature])).toBe("edit");
    expect(heardWith({ ...edited, previous_message: said("a") }, others)).toBe("feature-off");
    const { channel_type: _, ...mention } = {
      ...message,
      type: "app_mention",
    } as typeof message & {
      channel_type?: string;
    };
    expect(heardWith(mention, kinds)).toBe("message");
    expect(heardWith(mention, ["channels", "direct-messages"])).toBe("feature-off");
    const deleted = { ...message, subtype: "message_deleted", deleted_ts: "1.1" };
    expect(heardWith(deleted, others)).toBe("deletion");
  },
);

test("a deletion is also the stone that the platform puts in the place of what has replies", () => {
  const ts = "1700000000.000100";
  const buried = {
    type: "message",
    subtype: "message_changed",
    channel: "C0SHOP",
    channel_type: "channel",
    ts: "1700000009.000100",
    message: said("This message was deleted.", {
      ...{ ts, thread_ts: ts, user: "USLACKBOT", subtype: "tombstone" },
    }),
    previous_message: said("x", { ts, thread_ts: ts }),
  };
  expect(parse(buried)).toMatchObject({
    kind: "deletion",
    key: `T0ACME/C0SHOP/${ts}`,
    place: { thread: ts },
  });
  const own = { ...buried, previous_message: said("x", { user: "U0BOT", bot_id: "B0BOT" }) };
  expect(reasonOf(own)).toBe("own");
});

test("reactions, Stop, Home and the app's removal mean themselves", () => {
  const item = { type: "message", channel: "C0SHOP", ts: "1.1" };
  expect(parse({ type: "reaction_added", user: "U0ANA", reaction: "x", item })).toMatchObject({
    kind: "reaction",
    action: "added",
    key: "T0ACME/C0SHOP/1.1",
  });
  expect(reasonOf({ type: "reaction_removed", user: "U0BOT", reaction: "x", item })).toBe("own");
  const stop = { type: "agent_session_stopped", user: "U0ANA", channel: "D0ANA", thread_ts: "1.1" };
  expect(parse(stop)).toEqual({ kind: "stop", channel: "D0ANA", thread: "1.1", user: "U0ANA" });
  expect(parse({ type: "app_home_opened", user: "U0ANA", tab: "home" })).toMatchObject({
    kind: "home",
  });
  expect(parse({ type: "tokens_revoked" })).toEqual({ kind: "removed" });
  expect(reasonOf({ type: "pin_added" })).toBe("unknown-event");
});

test("whatever comes is read without an error", () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.record({
      type: fc.constant("event_callback"),
      team_id: fc.anything(),
      api_app_id: fc.constant("A0APP"),
      authorizations: fc.anything(),
      event: fc.oneof(
        fc.anything(),
        fc.record({
          type: fc.constantFrom(
            "message",
            "app_mention",
            "reaction_added",
            "agent_session_stopped",
          ),
          subtype: fc.constantFrom("message_changed", "message_deleted", undefined, 7),
          channel: fc.anything(),
          user: fc.anything(),
          text: fc.anything(),
          message: fc.anything(),
          previous_message: fc.anything(),
          files: fc.anything(),
        }),
      ),
    }),
  );
  fc.assert(
    fc.property(anything, (payload) => {
      expect(parseSlackEvent(payload, { identity }).kind).toBeTypeOf("string");
    }),
  );
});
