import { formatConversationKey, openRelayDb } from "@acp-kit/relay";
import { expect, test } from "vitest";
import { slackTables } from "../../src/index.ts";
import { type SurfaceProcess, SurfaceRig } from "../surface-rig.ts";

const ASK = "<@U0BOT> clean up";

const OPTIONS = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

/** A turn of Ana's that asks. */
async function askIn(rig: SurfaceRig, channel: string, said = "Let me see. ") {
  const process = await rig.open();
  const thread = rig.ana.say(channel, ASK);
  const prompt = await rig.prompted(1);
  if (said !== "") prompt.say(said);
  const outcome = prompt.ask("rm -rf dist", OPTIONS);
  await rig.until(() => rig.ana.buttons(channel).some(({ text }) => text === "Allow once"));
  return { process, thread, prompt, outcome };
}

async function answer(
  { router }: SurfaceProcess,
  channel: string,
  thread: string,
  option: string | undefined,
  user = "U0ANA",
) {
  const id = `T0ACME/${channel}/${thread}`;
  const conversation = formatConversationKey({ surface: "slack", bot: "shop", id });
  const [turn] = await router.openTurns(conversation);
  const permission = turn?.asks[0]?.id ?? "";
  await router.submit(conversation, {
    ...{ kind: "answer", key: `click-${option}`, user, permission, at: Date.now() },
    ...(option !== undefined && { option }),
  });
}

const texts = (rig: SurfaceRig, channel: string) =>
  rig.ana.buttons(channel).map(({ text }) => text);

test("C15 a question is a message of its own between what was said before and after it", async () => {
  const rig = await SurfaceRig.start();
  const { process, thread, prompt, outcome } = await askIn(rig, "C0SHOP");
  expect(rig.ana.notices.at(-1)?.text).toContain("<@U0ANA> *Run this?*");
  expect(rig.ana.see("C0SHOP")).toContain("rm -rf dist");
  await answer(process, "C0SHOP", thread, "once");
  await rig.during(outcome);
  prompt.say("Gone.");
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Gone."));
  await rig.until(() => rig.ana.see("C0SHOP").includes("✓ allowed once by <@U0ANA>"));
  const bodies = rig.bodies("C0SHOP", thread);
  expect(bodies).toEqual(["Let me see. ", expect.stringContaining("Run this?"), "Gone."]);
  expect(texts(rig, "C0SHOP")).toEqual([]);
});

test.each(["C0SHOP", "D0ANA"])(
  "while a question in %s waits it is the last message, until there is more to say",
  async (channel) => {
    const rig = await SurfaceRig.start();
    await rig.open();
    const thread = rig.ana.say(channel, ASK);
    const prompt = await rig.prompted(1);
    prompt.say("Let me see. ");
    prompt.startTool("t1", "rm -rf dist");
    const outcome = prompt.ask("rm -rf dist", OPTIONS);
    await rig.until(() => rig.ana.buttons(channel).some(({ text }) => text === "Allow once"));
    await rig.move(20_000, 250);
    const said = [expect.stringContaining("Let me see."), expect.stringContaining("Run this?")];
    expect(rig.bodies(channel, thread)).toEqual(said);
    prompt.say("Meanwhile I read.");
    await rig.until(() => rig.bodies(channel, thread).length > 2);
    const [button] = rig.ana.buttons(channel).filter(({ text }) => text === "Allow once");
    if (button) rig.ana.click(channel, button);
    await rig.during(outcome);
    prompt.end();
    await rig.until(() => rig.bodies(channel, thread).at(-1) === "Meanwhile I read.");
    expect(rig.bodies(channel, thread)).toHaveLength(3);
  },
);

test("C15 only where one person is alone with the bot may an answer hold for ever", async () => {
  const shared = await SurfaceRig.start();
  await askIn(shared, "C0SHOP");
  expect(texts(shared, "C0SHOP")).toEqual(["Allow once", "No"]);
  const alone = await SurfaceRig.start({ access: [{ users: ["*"], role: "operator" }] });
  await askIn(alone, "D0ANA");
  expect(texts(alone, "D0ANA")).toEqual([
    "Allow once",
    "Always, for exactly this (approvers)",
    "No",
  ]);
});

test("a question loses its buttons when it is answered, and when its turn is stopped", async () => {
  const rig = await SurfaceRig.start();
  const { process, thread, prompt, outcome } = await askIn(rig, "C0SHOP");
  await answer(process, "C0SHOP", thread, undefined);
  await rig.during(outcome);
  await rig.until(() => texts(rig, "C0SHOP").length === 0);
  expect(rig.ana.see("C0SHOP")).toContain("✗ refused by <@U0ANA>");
  const second = prompt.ask("rm -rf src", OPTIONS);
  await rig.until(() => texts(rig, "C0SHOP").length > 0);
  await process.router.cancel(`slack/shop/T0ACME/C0SHOP/${thread}`);
  await rig.during(second);
  await rig.until(() => texts(rig, "C0SHOP").length === 0);
  expect(rig.ana.see("C0SHOP")).toContain("✗ the question was withdrawn");
});

test.each(["lose-answer", "break"] as const)(
  "a question of whose post nobody knows (%s) is looked for, and asked once",
  async (kind) => {
    const rig = await SurfaceRig.start();
    await rig.open();
    const thread = rig.ana.say("C0SHOP", ASK);
    const prompt = await rig.prompted(1);
    prompt.say("Let me see. ");
    await rig.until(() => rig.bodies("C0SHOP", thread).includes("Let me see. "));
    // The next post is the question's.
    rig.slack.fail("chat.postMessage", { kind });
    void prompt.ask("rm -rf dist", OPTIONS);
    const questions = () =>
      rig.bodies("C0SHOP", thread).filter((body) => body.includes("Run this?"));
    await rig.until(() => rig.calls("conversations.replies") > 0);
    await rig.until(() => rig.ana.buttons("C0SHOP").some(({ text }) => text === "Allow once"));
    await rig.move(20_000, 500);
    expect(questions()).toHaveLength(1);
  },
);

test("several open questions stand in their order, and each ends by itself", async () => {
  const rig = await SurfaceRig.start();
  const { process, thread, prompt } = await askIn(rig, "C0SHOP");
  void prompt.ask("rm -rf src", OPTIONS);
  await rig.until(() => texts(rig, "C0SHOP").length === 4);
  const seen = rig.ana.see("C0SHOP");
  expect(seen.indexOf("rm -rf dist")).toBeLessThan(seen.indexOf("rm -rf src"));
  await answer(process, "C0SHOP", thread, "no");
  await rig.until(() => texts(rig, "C0SHOP").length === 2);
  expect(rig.ana.see("C0SHOP")).toContain("✗ refused by <@U0ANA>");
});

test("whoever has not answered for ten minutes is reminded, once", async () => {
  const rig = await SurfaceRig.start();
  const { thread } = await askIn(rig, "C0SHOP");
  const reminders = () =>
    rig.bodies("C0SHOP", thread).filter((text) => text.includes("still waits")).length;
  await rig.move(9 * 60_000, 5_000);
  expect(reminders()).toBe(0);
  await rig.move(12 * 60_000, 5_000);
  expect(reminders()).toBe(1);
  expect(rig.ana.notices.at(-1)?.text).toContain("still waits");
});

test("whoever was reminded is not reminded again by whichever process shows the question next", async () => {
  const rig = await SurfaceRig.start();
  const first = await rig.open();
  await rig.open();
  // The connections take turns: this is heard by the first, which shows everything, and the question is the second's.
  rig.bob.say("C0SHOP", "Good morning.");
  const thread = rig.ana.say("D0ANA", "clean up");
  const prompt = await rig.prompted(1);
  void prompt.ask("rm -rf dist", OPTIONS);
  await rig.until(() => texts(rig, "D0ANA").includes("Allow once"));
  const reminders = () =>
    rig.bodies("D0ANA", thread).filter((text) => text.includes("still waits")).length;
  await rig.move(12 * 60_000, 5_000);
  expect(reminders()).toBe(1);
  await first.end();
  await rig.move(10 * 60_000, 5_000);
  expect(reminders()).toBe(1);
  expect(texts(rig, "D0ANA")).toContain("Allow once");
  // The next one has it: it takes the buttons away.
  prompt.end();
  await rig.until(() => texts(rig, "D0ANA").length === 0);
});

test("while a question waits the thread says so, and its status comes back with the answer", async () => {
  const rig = await SurfaceRig.start();
  const { process, thread } = await askIn(rig, "C0SHOP");
  await rig.until(() => rig.slack.session("C0SHOP", thread)?.status === "suspended");
  await answer(process, "C0SHOP", thread, "once");
  await rig.until(() => rig.slack.session("C0SHOP", thread)?.status === "processing");
});

test("a question that an earlier process has asked is ended by the next, and asked once", async () => {
  const rig = await SurfaceRig.start();
  const { process, thread } = await askIn(rig, "C0SHOP");
  await process.end();
  await rig.open();
  await rig.until(() => texts(rig, "C0SHOP").length === 0);
  const asked = rig.bodies("C0SHOP", thread).filter((text) => text.includes("Run this?"));
  expect(asked).toHaveLength(1);
});

test("a named approver who has not asked gets a link", async () => {
  const rules = [{ users: ["U0ANA"], role: "user" as const, approvers: ["U0BOB"] }];
  const rig = await SurfaceRig.start({ access: rules });
  await askIn(rig, "C0SHOP");
  await rig.until(() => rig.bob.see("D0BOB").includes("needs you"));
  expect(rig.bob.notices.at(-1)?.text).toContain("https://acme.slack.com/archives/C0SHOP/");
});

test("a named approver is written to once, though the next process finds the question on its own", async () => {
  const access = [{ users: ["U0ANA"], role: "user" as const, approvers: ["U0BOB"] }];
  const rig = await SurfaceRig.start({ access, isMortal: true });
  const { process } = await askIn(rig, "C0SHOP");
  const told = () => rig.bob.notices.filter(({ text }) => text.includes("needs you")).length;
  await rig.until(() => told() === 1);
  await process.crash();
  // As if it had been killed before it knew where the question stands.
  const db = await openRelayDb(rig.directory, [slackTables]);
  db.run("UPDATE slack_questions SET ts = NULL");
  await db[Symbol.asyncDispose]();
  await rig.open();
  await rig.until(() => texts(rig, "C0SHOP").length === 0);
  await rig.move(5_000);
  expect(told()).toBe(1);
});

test("a named approver is mentioned below the question where nobody is written to first", async () => {
  const access = [{ users: ["U0ANA"], role: "user" as const, approvers: ["U0BOB"] }];
  const rig = await SurfaceRig.start({ access, features: [] });
  await askIn(rig, "C0SHOP");
  const told = "<@U0BOB> The question above needs one of you.";
  await rig.until(() => rig.bob.see("C0SHOP").includes(told));
  expect(rig.calls("conversations.open")).toBe(0);
});

test("a question of which Slack takes no blocks is asked in words, and ends in words", async () => {
  const rig = await SurfaceRig.start();
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes("~waiting~"));
  rig.slack.fail("chat.postMessage", { kind: "error", error: "invalid_blocks" });
  const outcome = prompt.ask("echo '<!channel>'", OPTIONS);
  const asked = () => rig.bodies("C0SHOP", thread).find((text) => text.includes("yes or no"));
  await rig.until(() => asked() !== undefined);
  expect(asked()).toBe(
    "<@U0ANA> Run this?\n```\necho '&lt;!channel&gt;'\n```\nAnswer with yes or no.",
  );
  rig.slack.fail("chat.update", { kind: "error", error: "invalid_blocks" });
  await answer(process, "C0SHOP", thread, "no");
  await rig.during(outcome);
  await rig.until(() => rig.ana.see("C0SHOP").includes("✗ refused by <@U0ANA>"));
});

test("a question that Slack refuses in any form is said to be missing, once, and can be answered when it is taken", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes("~waiting~"));
  // Each form, twice.
  const refused = { kind: "error", error: "a_new_word" } as const;
  rig.slack.fail("chat.postMessage", refused, 2);
  const outcome = prompt.ask("rm -rf dist", OPTIONS);
  const missing =
    /^A question that waits .* can't be shown: Slack says `a_new_word` \(ref \w+\)\.$/;
  const said = () => rig.bodies("C0SHOP", thread).filter((text) => missing.test(text)).length;
  await rig.until(() => said() === 1, 5_000);
  rig.slack.fail("chat.postMessage", refused, 2);
  // What nobody has seen is not allowed by a word.
  rig.ana.say("C0SHOP", "yes", { thread });
  await rig.until(() => texts(rig, "C0SHOP").includes("Allow once"));
  expect(said()).toBe(1);
  await rig.during(rig.ana.click("C0SHOP", "Allow once"));
  expect(await rig.during(outcome)).toMatchObject({ optionId: "once" });
});

test("a turn whose question was never shown ends as any other", async () => {
  const rig = await SurfaceRig.start();
  const process = await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes("~waiting~"));
  rig.slack.fail("chat.postMessage", { kind: "error", error: "a_new_word" }, 3);
  const outcome = prompt.ask("rm -rf dist", OPTIONS);
  // Nothing can be said there either.
  await rig.until(() => rig.ana.see("D0ANA").includes("`a_new_word`"));
  await answer(process, "C0SHOP", thread, "no");
  await rig.during(outcome);
  prompt.say("Left alone.");
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Left alone."));
  await rig.until(() => process.isQuiet());
});

test("who presses a button answers, and Stop of another's turn is not everybody's", async () => {
  const rig = await SurfaceRig.start({ slack: { app: { isAgent: false } } });
  const { thread, prompt, outcome } = await askIn(rig, "C0SHOP");
  await rig.during(rig.ana.click("C0SHOP", "Allow once"));
  await rig.during(outcome);
  await rig.until(() => rig.ana.see("C0SHOP").includes("✓ allowed once by <@U0ANA>"));
  prompt.say("Going on.");
  await rig.until(() => texts(rig, "C0SHOP").includes("Stop"));
  await rig.during(rig.bob.click("C0SHOP", "Stop"));
  await rig.move(2_000);
  expect(rig.bodies("C0SHOP", thread)).toContain("Going on.");
  await rig.during(rig.ana.click("C0SHOP", "Stop"));
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Going on.\n(cancelled)"));
  await rig.until(() => texts(rig, "C0SHOP").length === 0);
});

test("C16 a yes that was written before the question was to be seen allows nothing", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> tidy up");
  const prompt = await rig.prompted(1);
  prompt.say("Shall I begin?");
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Shall I begin?"));
  const seen = Promise.withResolvers<void>();
  rig.slack.fail("chat.postMessage", { kind: "hold", until: seen.promise });
  let answered: unknown;
  void prompt.ask("rm -rf dist", OPTIONS).then((outcome) => {
    answered = outcome;
  });
  await rig.move(3_000);
  rig.ana.say("C0SHOP", "yes", { thread });
  await rig.until(() => rig.inbound.length === 2);
  seen.resolve();
  await rig.until(() => texts(rig, "C0SHOP").length > 0);
  await rig.move(1_000);
  expect(answered).toBeUndefined();
  expect(rig.inbound.at(-1)).toMatchObject({ decision: "run", reason: "prompt" });
  rig.ana.say("C0SHOP", "yes", { thread });
  await rig.until(() => answered !== undefined);
  expect(answered).toMatchObject({ optionId: "once" });
});
