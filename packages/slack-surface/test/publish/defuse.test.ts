import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decidedTo, defuse } from "../../src/publish/defuse.ts";
import { NativeStreamPublisher } from "../../src/publish/native-stream.ts";
import { PostEditPublisher } from "../../src/publish/post-edit.ts";
import { StreamSlots } from "../../src/publish/stream-slots.ts";
import { startThread } from "./publish-rig.ts";

const visible = (text: string) => text.replaceAll("\u2060", "");

test.each([
  "<!channel>",
  "<!here|here>",
  "<!everyone>",
  "<!subteam^S0123ABC|@devs>",
  "<!date^1392734382^{date}|soon>",
  "<@U012ABCDEF>",
  "<@W012ABCDEF|ana>",
  "<#C024BE7LR|general>",
  "`<!channel>`",
  "```\n<!here>\n```",
  "[<!here>](https://e.example/<!everyone>)",
])("%j is nothing but text, and looks as it was written", (token) => {
  const text = defuse(`Ping ${token} please`);
  expect(text).not.toMatch(/<(?:!(?:here|channel|everyone|subteam|date)|@[UW]|#C)/);
  expect(visible(text)).toBe(`Ping ${token} please`);
  expect(defuse(text)).toBe(text);
});

test.each([
  "<!-- a comment -->",
  "<!DOCTYPE html>",
  "<https://e.example>",
  "a <b> c",
  "List<#foo>",
])("%s is left as it is", (text) => {
  expect(defuse(text)).toBe(text);
});

test("what was told of a growing text up to where it is decided never changes", () => {
  const part = fc.constantFrom(
    "<",
    "!",
    "here",
    "her",
    "e",
    "@",
    "U0",
    "#C1",
    "channel>",
    " x",
    "date",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      let text = "";
      let told = "";
      for (const each of parts) {
        text += each;
        const now = defuse(text);
        expect(now.startsWith(told)).toBe(true);
        told = now.slice(0, Math.max(told.length, decidedTo(now)));
      }
    }),
    { numRuns: 1_000 },
  );
});

describe("nobody's phone rings for what the agent writes", () => {
  const deltas = ["done <", "!chan", "nel> and <@U0", "BOB> and `<!he", "re>` now"];
  const whole = "done <!channel> and <@U0BOB> and `<!here>` now";

  test.each(["posts", "streams"])("in %s, however it is cut", async (kind) => {
    const rig = await startThread("C0SHOP");
    const { shared, queue, slack } = rig;
    const recipient = { user: "U0ANA", team: "T0ACME" };
    const slots = new StreamSlots(queue);
    const publisher =
      kind === "posts"
        ? new PostEditPublisher(shared)
        : new NativeStreamPublisher({ ...shared, slots, recipient });
    let text = "";
    for (const delta of deltas) {
      text += delta;
      const cards = [{ id: "t", title: "<!channel> tool", status: "complete" as const }];
      publisher.write({ text, tail: "<!here> writing", cards });
      await rig.move(2_000);
    }
    expect(await rig.wait(publisher.finish(text))).toEqual({ kind: "published" });
    expect(visible(rig.bodies().join(""))).toBe(whole);
    expect(rig.bodies().join("")).not.toMatch(/<!|<@/);
    expect(slack.person("U0BOB").notices).toEqual([]);
    expect(slack.person("U0GUEST").notices).toEqual([]);
  });
});
