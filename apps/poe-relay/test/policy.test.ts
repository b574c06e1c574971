import { createPoeId, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const agent = {
  prompt: [
    {
      kind: "ask",
      toolCall: { toolCallId: "t", title: "Run", kind: "execute", rawInput: { command: "make" } },
      options: [
        { optionId: "once", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
      on: {
        once: [{ kind: "text", text: "made" }],
        no: [{ kind: "text", text: "not made" }],
      },
    },
  ],
} as const;

test("an operator's !policy decides for one conversation alone, until it is cleared", {
  timeout: 5 * SOON_MS,
}, async () => {
  const access = [
    { users: ["u-op"], role: "operator" },
    { users: ["*"], role: "user" },
  ];
  await using relay = await KeptRelay.start(agent, { access });
  const conversation = createPoeId("c");
  const say = async (text: string, where = conversation, userId = "u-op") => {
    const query = relay.poe.query({ text, conversation: where, userId });
    await waitFor("the answer", query.done, SOON_MS);
    return query.body();
  };
  expect(await say("!policy allow 10m", conversation, "u-ana")).toContain("not open to you");
  expect(await say("make it")).not.toContain("made");
  expect(await say("!no")).toContain("not made");
  expect(await say("!policy deny 10m")).toContain("everything is refused");
  expect(await say("make it")).toContain("not made");
  expect(await say("!policy allow")).toContain("everything is allowed");
  expect(await say("make it")).toMatch(/(?<!not )made/);
  // Elsewhere a person is asked.
  expect(await say("make it", createPoeId("c"))).not.toContain("made");
  expect(await say("!policy default")).toContain("what is configured holds");
  expect(await say("make it")).not.toContain("made");
  expect(await say("!no")).toContain("not made");
  // C13: words of several people: what would be allowed by itself is asked.
  expect(await say("!policy allow")).toContain("everything is allowed");
  expect(await say("make it", conversation, "u-ana")).not.toContain("made");
});
