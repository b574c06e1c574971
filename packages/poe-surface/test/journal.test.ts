import { describe, expect, test } from "vitest";
import type { Intake } from "../src/intake.ts";
import type { Plan } from "../src/plan.ts";
import { describeVerdict } from "../src/verdict.ts";
import { words } from "../src/words.ts";
import { finished, Rig } from "./rig.ts";

test("every request of the platform is journaled with what became of it", async () => {
  await using rig = await Rig.open({ access: [{ users: ["u-none"], role: "user" }] });
  await rig.answer("hello");
  expect(rig.inbound).toEqual(["refuse not-allowed"]);
});

test("a message that becomes a turn is one entry, and so is each time that the platform sends it again", async () => {
  await using rig = await Rig.open();
  rig.ask("hello", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("hi");
  const again = rig.ask("hello", { messageId: "m1" });
  await again.waitFor((one) => one.body() === "hi");
  prompt.end();
  await finished(again);
  expect(rig.inbound).toEqual(["run prompt", "attach redrive"]);
});

const read: Plan = {
  kind: "read",
  own: ["t"],
  after: 0,
  until: "t",
  isRepeat: false,
  ifEmpty: "",
};

describe("the journal says of a message", () => {
  test.each<[Intake["kind"], string]>([
    ["prompt", "run prompt"],
    ["stop", "stop asked"],
    ["continue", "show continue"],
    ["answer", "answer option"],
    ["refuse-and-prompt", "run no-to-question"],
  ])("that means %s: %s, and its turn", (kind, said) => {
    const { decision, reason, turn } = describeVerdict({ kind }, read);
    expect([`${decision} ${reason}`, turn]).toEqual([said, "t"]);
  });

  test("that it was a command, when the relay itself answers", () => {
    const verdict = describeVerdict({ kind: "reply" }, { kind: "say", text: "planted" });
    expect(verdict).toEqual({ decision: "command", reason: "reply" });
    const said = { kind: "say", text: "planted" } as const;
    expect(describeVerdict({ kind: "reply" }, said, "model").reason).toBe("model");
    expect(describeVerdict({ kind: "reply", isRefused: true }, said, "policy")).toEqual({
      decision: "refuse",
      reason: "command-not-open",
    });
  });

  test("that it was refused, by the name of what its sender is told", () => {
    const verdict = describeVerdict({ kind: "prompt" }, { kind: "say", text: words.queueFull });
    expect(verdict).toEqual({ decision: "refuse", reason: "queue-full" });
  });

  test("no text of a person", () => {
    const verdict = describeVerdict({ kind: "prompt" }, { kind: "say", text: "planted" });
    expect(verdict).toEqual({ decision: "refuse", reason: "said" });
  });
});
