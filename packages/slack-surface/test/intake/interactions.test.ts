import { expect, test } from "vitest";
import { renderStopButton } from "../../src/index.ts";
import { STOP_SHORTCUT } from "../../src/intake/stop-shortcut.ts";
import {
  ASKING,
  ended,
  eventsOf,
  type IntakeProcess,
  IntakeRig,
  keyOf,
  outcomesIn,
  until,
  WAITING,
} from "./intake-rig.ts";
import { showQuestion } from "./show-question.ts";

const access = [
  { users: ["U0PARTNER"], role: "user", slack: { channel: "C0SHARED" } },
  { users: ["U0BOB"], role: "approver" },
  { users: ["*"], role: "user" },
] as const;

async function answersIn({ router }: IntakeProcess, conversation: string) {
  const events = await eventsOf(router, conversation);
  return events.flatMap((event) =>
    event.kind === "permission-answer" ? [{ option: event.option?.id, by: event.by }] : [],
  );
}

test("C16 a click answers once, for its requester; a late one and a stranger's are told so alone", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access });
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  await showQuestion(process, "C0SHOP", thread);
  const [button] = rig.ana.buttons("C0SHOP").filter(({ text }) => text === "Allow once");
  if (!button) throw new Error("There is no button.");
  const guest = rig.slack.person("U0GUEST");
  await guest.click("C0SHOP", button);
  await until(() => guest.see("C0SHOP").includes("You may not do that here"));
  const clicks = await Promise.all([
    rig.ana.click("C0SHOP", button),
    rig.ana.click("C0SHOP", button),
    rig.bob.click("C0SHOP", button),
  ]);
  expect(clicks.map(({ state }) => state)).toEqual(Array(3).fill("acknowledged"));
  await ended(process.router, keyOf("C0SHOP", thread));
  const answers = await answersIn(process, keyOf("C0SHOP", thread));
  expect(answers).toHaveLength(1);
  expect(answers[0]?.option).toBe("once");
  await rig.bob.click("C0SHOP", button);
  await until(() => rig.bob.see("C0SHOP").includes("That is over"));
  expect(rig.ana.see("C0SHOP")).not.toContain("You may not do that here");
});

test("a plain yes in a thread counts from an approver who has not turned to the bot there, and from nobody else", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access });
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  await showQuestion(process, "C0SHOP", thread);
  const guest = rig.slack.person("U0GUEST");
  guest.say("C0SHOP", "yes", { thread });
  rig.bob.say("C0SHOP", "<@U0GUEST> yes", { thread });
  rig.bob.say("C0SHOP", "that will do", { thread });
  await rig.slack.settled();
  expect(await answersIn(process, keyOf("C0SHOP", thread))).toEqual([]);
  rig.bob.say("C0SHOP", "yes", { thread });
  await ended(process.router, keyOf("C0SHOP", thread));
  expect(await answersIn(process, keyOf("C0SHOP", thread))).toEqual([
    { option: "once", by: "U0BOB" },
  ]);
});

test("a yes that was written before the question was shown is no answer to it", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access });
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await process.router.openTurns(conversation))[0]?.asks.length === 1);
  rig.slack.socketMode.stall();
  rig.ana.say("C0SHOP", "yes", { thread });
  await showQuestion(process, "C0SHOP", thread);
  rig.slack.socketMode.unstall();
  await until(() => rig.decisions.filter((each) => each === "run prompt").length === 2);
  expect(await answersIn(process, conversation)).toEqual([]);
});

test("C16 what is for approvers, what is not offered to all, and what belongs elsewhere is nobody's to click", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access });
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  const conversation = keyOf("C0SHOP", thread);
  const { ask, reference } = await showQuestion(process, "C0SHOP", thread);
  const always = rig.ana.buttons("C0SHOP").find(({ text }) => text.startsWith("Always"));
  if (!always) throw new Error("There is no button.");
  await rig.bob.click("C0SHOP", always);
  await until(() => rig.bob.see("C0SHOP").includes("not to be chosen here"));
  await rig.bob.click("C0SHOP", { ...always, value: "0".repeat(32) });
  await until(() => rig.bob.see("C0SHOP").includes("That is over"));
  const elsewhere = rig.ana.say("C0SHOP", "another message");
  await rig.bob.click("C0SHOP", { ...always, actionId: "question-option-0", ts: elsewhere });
  await until(() => rig.bob.see("C0SHOP").includes("not for this place"));
  const once = { ...always, actionId: "question-option-0" };
  // The same message, if its time alone names it.
  await rig.bob.click("G0GROUP", once);
  await until(() => rig.bob.see("G0GROUP").includes("not for this place"));
  // Of the workspace that the bot was in before.
  const { reference: past } = process.workspace.questions.add({
    conversation: conversation.replace("T0ACME", "T0PAST"),
    ...{ turn: "past", permission: ask.id, requester: "U0BOB", channel: "C0SHOP" },
  });
  await rig.bob.click("C0SHOP", { ...once, value: past });
  await rig.bob.click("C0SHOP", { ...always, actionId: "question-option-9" });
  expect(rig.audited.map(({ who, result }) => `${who} ${result}`)).toEqual([
    "U0BOB not-offered",
    "U0BOB over",
    "U0BOB other-click",
    "U0BOB other-click",
    "U0BOB other-click",
    "U0BOB not-offered",
  ]);
  expect(await answersIn(process, conversation)).toEqual([]);
  expect(process.workspace.questions.find(reference)?.state).toBe("open");
});

test("C16 what holds for ever is an approver's to click, also where its requester is alone", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access });
  const process = await rig.open();
  const thread = rig.ana.say("D0ANA", "ask");
  await showQuestion(process, "D0ANA", thread);
  await rig.ana.click("D0ANA", "Always, for exactly this (approvers)");
  await until(() => rig.ana.see("D0ANA").includes("Only an approver can choose that"));
  expect(await answersIn(process, keyOf("D0ANA", thread))).toEqual([]);
});

const long = { ...ASKING, prompt: JSON.parse(JSON.stringify(ASKING)).prompt } as {
  prompt: { toolCall: { rawInput: { command: string } } }[];
};
const first = long.prompt[0];
if (first) first.toolCall.rawInput.command = `echo ${"x".repeat(3_000)}`;

test("C15 what a message does not show whole is allowed from its full view alone", async () => {
  const rig = await IntakeRig.start({ script: long, access });
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  const { reference } = await showQuestion(process, "C0SHOP", thread);
  const all = rig.ana.buttons("C0SHOP").find(({ text }) => text === "Show all of it");
  if (!all) throw new Error("There is no button.");
  await rig.ana.click("C0SHOP", { ...all, actionId: "question-option-0", value: reference });
  expect(rig.decisions.at(-1)).toBe("refuse not-offered");
  await rig.ana.click("C0SHOP", all);
  expect(rig.ana.views).toHaveLength(1);
  await rig.ana.submit();
  await ended(process.router, keyOf("C0SHOP", thread));
  expect(await answersIn(process, keyOf("C0SHOP", thread))).toEqual([
    { option: "once", by: "U0ANA" },
  ]);
});

test("a Stop button ends its turn and no other, for whoever may", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const { router, workspace } = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  const [open] = await router.openTurns(conversation);
  const blocks = [renderStopButton("another"), renderStopButton(open?.turn ?? "")];
  const body = { channel: "C0SHOP", thread_ts: thread, text: "working", blocks };
  await workspace.call("chat.postMessage", body);
  const [other, own] = rig.ana.buttons("C0SHOP");
  if (!other || !own) throw new Error("There are no buttons.");
  await rig.bob.click("C0SHOP", own);
  await rig.ana.click("C0SHOP", other);
  expect(rig.decisions.slice(-2)).toEqual(["refuse not-yours", "refuse nothing-runs"]);
  await rig.ana.click("C0SHOP", own);
  await ended(router, conversation);
  expect(await outcomesIn(router, conversation)).toEqual(["cancelled user"]);
});

test("a slash command is answered to its person alone, also where it needs no thread", async () => {
  const rig = await IntakeRig.start({ script: WAITING, access });
  const { router } = await rig.open();
  const help = await rig.ana.slash("C0SHOP", "/agent");
  expect(JSON.stringify(help.answer)).toContain("!status");
  const prompt = await rig.ana.slash("C0SHOP", "/agent", "fix the tests please");
  expect(JSON.stringify(prompt.answer)).toContain("Write to me in a message");
  const guest = await rig.slack.person("U0GUEST").slash("C0SHOP", "/agent", "status");
  expect(JSON.stringify(guest.answer)).toContain("U0GUEST");
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  await rig.bob.slash("C0SHOP", "/agent", "stop");
  expect(rig.decisions.at(-1)).toBe("refuse nothing-runs");
  await rig.ana.slash("C0SHOP", "/agent", "stop");
  await ended(router, conversation);
});

test("the shortcut on a message stops what runs in its thread, for whoever may", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const { router } = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  await rig.bob.shortcut("C0SHOP", thread, STOP_SHORTCUT);
  expect(rig.decisions.at(-1)).toBe("refuse not-yours");
  await rig.ana.shortcut("C0SHOP", thread, STOP_SHORTCUT);
  await ended(router, conversation);
});

test("an operator is told when the app was removed from its workspace", async () => {
  const rig = await IntakeRig.start();
  await rig.open();
  rig.slack.uninstall();
  await until(() => rig.notices.length > 0);
  expect(rig.notices[0]).toContain("was removed from its workspace");
});
