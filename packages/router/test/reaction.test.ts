import { expect, test } from "vitest";
import type { Turn } from "../src/index.ts";
import { PlainRig } from "./plain-agent.ts";

const transcript = (...messages: [role: string, content: string, messageId: string][]) => {
  const query = messages.map(
    ([role, content, messageId]): Turn => ({ role, content, messageId, attachments: [] }),
  );
  return { query, key: query.at(-1)?.messageId ?? "" };
};

test("a reaction leaves the transcript as it was known: what follows goes on, and an edit is noticed", async () => {
  await using rig = new PlainRig();
  const react = async (count: number) => {
    await rig.router.reportReaction("c", "ana", "b1", "👍", "added");
    await expect.poll(() => rig.agent.prompts.length, { interval: 1 }).toBe(count);
  };
  const one = ["user", "one", "u1"] as [string, string, string];
  await rig.run("", transcript(one));
  await react(2);
  await rig.run("", transcript(one, ["bot", "ok", "b1"], ["user", "two", "u2"]));
  expect(rig.agent.prompts.at(-1)).toEqual(["two"]);
  await react(4);
  await rig.run("", transcript(["user", "won", "u1"], ["user", "two", "u2"], ["user", "x", "u3"]));
  expect(rig.agent.calls).toContain("new s2");
  expect(rig.agent.prompts.at(-1)?.[0]).toContain("won");
});
