import type { GatedAgent, GatedPrompt } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { finished, Rig, type RigOptions } from "./rig.ts";

/** A turn that asked, and whose response ended with the question. */
async function asked(options: RigOptions<GatedAgent> = {}) {
  const rig = await Rig.open(options);
  const query = rig.ask("do it", { messageId: "m1", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("Let me. ");
  const outcome = prompt.ask("rm -rf dist");
  const shown = await finished(query);
  return { rig, prompt, outcome, shown };
}

const QUESTION = "? rm -rf dist 1 yes 2 no";

/** Lets the turn say something, and end. */
function close(prompt: GatedPrompt, text: string): void {
  prompt.say(text);
  prompt.end();
}

test("a question ends the response with its options; a digit continues the same turn", async () => {
  const { rig, prompt, outcome, shown } = await asked();
  await using _ = rig;
  expect(shown).toBe(`Let me. ${QUESTION}`);
  const next = rig.ask("1");
  expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
  close(prompt, "Done.");
  expect(await finished(next)).toBe("{once}Done.");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a digit that comes again does not answer a second question", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const first = rig.ask("1", { messageId: "m2" });
  await outcome;
  const second = prompt.ask("git push");
  expect(await finished(first)).toContain("? git push");
  const again = await rig.answer("1", { messageId: "m2" });
  expect(again).toContain("? git push");
  let isAnswered = false;
  void second.then(() => {
    isAnswered = true;
  });
  const own = rig.ask("2", { messageId: "m3" });
  expect(await second).toEqual({ outcome: "selected", optionId: "no" });
  expect(isAnswered).toBe(true);
  prompt.end();
  await finished(own);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a digit that comes again while its response runs attaches to it", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const first = rig.ask("1", { messageId: "m2" });
  await outcome;
  prompt.say("Doing");
  await first.waitFor((one) => one.body() === "{once}Doing");
  const again = rig.ask("1", { messageId: "m2" });
  await again.waitFor((one) => one.body() === "{once}Doing");
  prompt.end();
  expect(await finished(again)).toBe("{once}Doing");
  expect((await first.done).how).toBe("cut");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a digit that comes again after its turn ended never reaches the agent", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const first = rig.ask("1", { messageId: "m2", requestId: "r2" });
  await outcome;
  close(prompt, "Done.");
  await finished(first);
  expect(await rig.answer("1", { messageId: "m2", requestId: "r3" })).toBe("{once}Done.");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("words that are no answer are No, and are passed on as the next message", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const next = rig.ask("no, use pnpm");
  expect(await outcome).toEqual({ outcome: "selected", optionId: "no" });
  close(prompt, "I did not.");
  const second = await rig.agent.prompted(2);
  expect(second.text).toBe("no, use pnpm");
  close(second, "With pnpm.");
  expect(await finished(next)).toBe("{no}I did not.\n\n---\n\nWith pnpm.");
});

test("a refusal that comes again refuses no other question", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const ask = () => rig.ask("no, use pnpm", { messageId: "m2", requestId: "r2" });
  const first = ask();
  await outcome;
  close(prompt, "");
  const second = await rig.agent.prompted(2);
  const other = second.ask("pnpm build");
  await finished(first);
  expect(await finished(ask())).toContain("? pnpm build");
  const own = rig.ask("1", { messageId: "m3" });
  expect(await other).toEqual({ outcome: "selected", optionId: "once" });
  second.end();
  await finished(own);
});

test("without an option that refuses, No is told as none of them", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("do it");
  const prompt = await rig.agent.prompted(1);
  const outcome = prompt.ask("ls", [{ optionId: "once", name: "yes", kind: "allow_once" }]);
  await finished(query);
  const next = rig.ask("no");
  expect(await outcome).toEqual({ outcome: "cancelled" });
  prompt.end();
  await finished(next);
});

test("the message that led to the question is no answer when it comes again", async () => {
  const { rig, prompt, outcome, shown } = await asked();
  await using _ = rig;
  expect(await rig.answer("do it", { messageId: "m1", requestId: "r1" })).toBe(shown);
  const next = rig.ask("1");
  expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
  prompt.end();
  await finished(next);
});

test("the message that led to the question, asked anew, takes the place of its first run", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  const again = rig.ask("do it", { messageId: "m1", requestId: "r9" });
  expect(await outcome).toEqual({ outcome: "cancelled" });
  expect(prompt.isCancelled).toBe(true);
  close(await rig.agent.prompted(2), "Again.");
  expect(await finished(again)).toBe("Again.");
});

test("an answer that is too late says so, shows what went on, and never reaches the agent", async () => {
  const { rig, prompt } = await asked();
  await using _ = rig;
  prompt.say("I went on.");
  prompt.end();
  await rig.event(({ kind }) => kind === "turn-end");
  expect(await rig.answer("1")).toBe(
    "(notice) That question has ended; your answer came too late and was not passed on.\n\nI went on.{cancelled}",
  );
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a number that is no option is asked again and changes nothing", async () => {
  const { rig, prompt, outcome } = await asked();
  await using _ = rig;
  expect(await rig.answer("7")).toContain("none of the options");
  const next = rig.ask("1");
  expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
  prompt.end();
  await finished(next);
});

describe("somebody else", () => {
  test("cannot answer, and is told who can", async () => {
    const { rig, prompt, outcome } = await asked();
    await using _ = rig;
    expect(await rig.answer("1", { userId: "u-bob" })).toContain("Only the person");
    const next = rig.ask("2");
    expect(await outcome).toEqual({ outcome: "selected", optionId: "no" });
    prompt.end();
    await finished(next);
  });

  test("who writes something is shown the question, and is answered after it", async () => {
    const { rig, prompt, outcome } = await asked();
    await using _ = rig;
    const body = await rig.answer("and me?", { userId: "u-bob" });
    expect(body).toContain(QUESTION);
    expect(body).toContain("Your message waits until this is answered.");
    const next = rig.ask("1");
    expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
    close(prompt, "Done.");
    const second = await rig.agent.prompted(2);
    close(second, "You too.");
    expect(await finished(next)).toBe("{once}Done.\n\n---\n\nYou too.");
  });

  test("who is an approver can answer", async () => {
    const { rig, prompt, outcome } = await asked({
      access: [
        { users: ["u-boss"], role: "approver" },
        { users: ["*"], role: "user" },
      ],
    });
    await using _ = rig;
    const next = rig.ask("1", { userId: "u-boss" });
    expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
    prompt.end();
    await finished(next);
  });
});

test("questions that come together are asked and answered one after another, oldest first", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("do it");
  const prompt = await rig.agent.prompted(1);
  const names = Array.from({ length: 12 }, (_, n) => `command-${n}`);
  const outcomes = names.map((name) => prompt.ask(name));
  const shown = await finished(query);
  expect(shown).toBe("? command-0 1 yes 2 no");
  for (const [n, outcome] of outcomes.entries()) {
    const answer = n % 2 === 0 ? "1" : "2";
    const response = rig.ask(answer);
    expect(await outcome).toEqual({ outcome: "selected", optionId: n % 2 === 0 ? "once" : "no" });
    if (n === names.length - 1) prompt.end();
    const body = await finished(response);
    const questions = body.match(/command-\d+/g) ?? [];
    expect(questions).toEqual(names.slice(n + 1, n + 2));
  }
});

test("a plain user who chooses more than once is told who could", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("do it");
  const prompt = await rig.agent.prompted(1);
  const outcome = prompt.ask("ls", [
    { optionId: "always", name: "always", kind: "allow_always" },
    { optionId: "once", name: "yes", kind: "allow_once" },
  ]);
  await finished(query);
  expect(await rig.answer("1")).toContain("Only an approver can choose that option");
  const next = rig.ask("2");
  expect(await outcome).toEqual({ outcome: "selected", optionId: "once" });
  prompt.end();
  await finished(next);
});
