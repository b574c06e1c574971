import type { AccessRule } from "@acp-kit/relay";
import { createPoeId } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";

const onlyAna: readonly AccessRule[] = [{ users: ["u-ana"], role: "user" }];

const say = (rig: Rig, text: string, userId: string) =>
  finished(rig.poe.query({ text, userId, conversation: createPoeId("c") }));

async function answered(rig: Rig, count: number, userId: string, conversation?: string) {
  const query = rig.poe.query({
    text: `message ${count}`,
    userId,
    ...(conversation !== undefined && { conversation }),
  });
  const prompt = await rig.agent.prompted(count);
  prompt.say("done");
  prompt.end();
  return finished(query);
}

test("C10: a stranger is told their id and how the operator lets them in, and the agent hears nothing", async () => {
  await using rig = await Rig.open({ access: [] });
  expect(await say(rig, "hello", "u-0042")).toBe(
    "(notice) This bot is private. Your id is `u-0042`. Its operator can let you in with `poe-relay allow u-0042`.",
  );
  expect(await rig.router.debug()).toEqual([]);
});

test("C10: who sends the code of the console is the operator from then on, and who guesses is not", async () => {
  await using rig = await Rig.open({ access: [] });
  const code = rig.people.createPairingCode() ?? "";
  const wrong = code === "123-456" ? "654-321" : "123-456";
  expect(await say(rig, `!pair ${wrong}`, "u-eve")).toContain("That is not the code.");
  expect(await say(rig, `!pair ${code}`, "u-ana")).toBe(
    "(notice) You are this bot's operator now.",
  );
  expect(await answered(rig, 1, "u-ana")).toBe("done");
  expect(await say(rig, `!pair ${code}`, "u-eve")).toContain("There is no code to pair with.");
  expect(await say(rig, "hello", "u-eve")).toContain("This bot is private.");
  expect(rig.lines.join("")).not.toContain(code);
});

test("C31: who has used up a limit is told when they can go on; another person is not kept from anything", async () => {
  const access = [{ users: ["*"], role: "user" }] as const;
  await using rig = await Rig.open({ access, budget: { turnsPerUserPerHour: 1 } });
  await answered(rig, 1, "u-ana", createPoeId("c"));
  expect(await say(rig, "more", "u-ana")).toContain(
    "You have used up your limit of 1 turn an hour. You can go on in 1 h.",
  );
  expect(await answered(rig, 2, "u-bob", createPoeId("c"))).toBe("done");
});

test("C31: a message that Poe sends again is no other turn", async () => {
  await using rig = await Rig.open({ access: onlyAna, budget: { turnsPerUserPerHour: 1 } });
  const ids = { userId: "u-ana", conversation: createPoeId("c"), messageId: createPoeId("m") };
  const first = rig.poe.query({ text: "once", ...ids });
  const prompt = await rig.agent.prompted(1);
  prompt.say("do");
  await first.waitFor((one) => one.body() === "do");
  const again = rig.poe.query({ text: "once", ...ids });
  await again.waitFor((one) => one.body() === "do");
  prompt.say("ne");
  prompt.end();
  expect(await finished(again)).toBe("done");
});

test("C31: while the relay is paused a message is answered with that, and later it runs", async () => {
  await using rig = await Rig.open({ access: onlyAna });
  rig.people.pauseAll("u-op", "moving house");
  expect(await say(rig, "hello", "u-ana")).toContain("This bot is paused (moving house).");
  rig.people.resumeAll("u-op");
  expect(await answered(rig, 1, "u-ana")).toBe("done");
});

test("C31: a limit that is reached keeps another turn from starting, and never cuts the one that runs", async () => {
  await using rig = await Rig.open({ access: onlyAna, budget: { concurrentPerUser: 1 } });
  const first = rig.poe.query({ text: "long", userId: "u-ana", conversation: createPoeId("c") });
  const prompt = await rig.agent.prompted(1);
  prompt.say("beginning");
  await first.waitFor((one) => one.body() === "beginning");
  expect(await say(rig, "another", "u-ana")).toBe(
    "One turn of yours runs already, which is the limit. Send your message again once one has ended.",
  );
  prompt.say(", end");
  prompt.end();
  expect(await finished(first)).toBe("beginning, end");
  expect(await answered(rig, 2, "u-ana", createPoeId("c"))).toBe("done");
});

test("an approver whom a rule names answers for another person, and one who is none does not", async () => {
  const access = [{ users: ["u-ana", "u-bob"], role: "user", approvers: ["u-eve"] }] as const;
  await using rig = await Rig.open({ access });
  const conversation = createPoeId("c");
  const asking = rig.poe.query({ text: "go", userId: "u-ana", conversation });
  const prompt = await rig.agent.prompted(1);
  const asked = prompt.ask("rm -rf dist");
  await finished(asking);
  const reply = (userId: string) => rig.poe.query({ text: "1", userId, conversation });
  expect(await finished(reply("u-bob"))).toContain("or an approver, can do this");
  const answer = reply("u-eve");
  expect(await asked).toEqual({ outcome: "selected", optionId: "once" });
  prompt.say("done");
  prompt.end();
  expect(await finished(answer)).toContain("done");
});
