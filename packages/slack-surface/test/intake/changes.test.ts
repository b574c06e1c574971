import { expect, test } from "vitest";
import { ended, eventsOf, IntakeRig, keyOf, outcomesIn, until, WAITING } from "./intake-rig.ts";

test("a message that is edited while it waits is asked in its new words alone", async () => {
  const rig = await IntakeRig.start({ script: WAITING, hasAgentView: false });
  const { router } = await rig.open();
  const conversation = keyOf("D0ANA");
  rig.ana.say("D0ANA", "first");
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  const ts = rig.ana.say("D0ANA", "secnd");
  await until(async () => (await router.openTurns(conversation)).length === 2);
  rig.ana.edit("D0ANA", ts, "second");
  rig.slack.touch("D0ANA", ts);
  await rig.slack.settled();
  rig.ana.say("D0ANA", "!stop");
  await until(() => rig.prompts.length === 2);
  expect(rig.prompts).toEqual(["first", "second"]);
  rig.ana.edit("D0ANA", ts, "third");
  await until(() => rig.prompts.length === 3);
  expect(rig.prompts.at(-1)).toContain("third");
  expect(await outcomesIn(router, conversation)).toEqual([
    "cancelled edited",
    "cancelled user",
    "cancelled edited",
  ]);
});

test("what was answered before it was edited is run again by its author's wish alone", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const conversation = keyOf("C0SHOP", ts);
  await ended(router, conversation);
  rig.ana.edit("C0SHOP", ts, "<@U0BOT> two");
  await until(() => rig.ana.buttons("C0SHOP").some(({ text }) => text === "Run again"));
  expect(rig.bob.buttons("C0SHOP")).toEqual([]);
  const [button] = rig.ana.buttons("C0SHOP");
  if (!button) throw new Error("There is no button.");
  await rig.bob.click("C0SHOP", button);
  expect(rig.decisions.at(-1)).toBe("refuse not-yours");
  await rig.ana.click("C0SHOP", button);
  await rig.ana.click("C0SHOP", button);
  await ended(router, conversation, 2);
  expect(rig.prompts).toEqual(["one", "two"]);
  expect(rig.decisions.slice(-2)).toEqual(["run run-again", "attach told-again"]);
});

test("a message that is taken back takes its turn with it, waiting or running", async () => {
  const rig = await IntakeRig.start({ script: WAITING, hasAgentView: false });
  const { router } = await rig.open();
  const conversation = keyOf("D0ANA");
  const running = rig.ana.say("D0ANA", "first");
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  const waiting = rig.ana.say("D0ANA", "second");
  await until(async () => (await router.openTurns(conversation)).length === 2);
  rig.ana.delete("D0ANA", waiting);
  await until(async () => (await router.openTurns(conversation)).length === 1);
  rig.ana.delete("D0ANA", running);
  await ended(router, conversation, 2);
  expect(await outcomesIn(router, conversation)).toEqual([
    "cancelled deleted",
    "cancelled deleted",
  ]);
  expect(rig.prompts).toEqual(["first"]);
});

test("of a message that is taken back nothing is kept that it said, and of others everything", async () => {
  const rig = await IntakeRig.start({ script: WAITING, hasAgentView: false });
  const { router, workspace } = await rig.open();
  const conversation = keyOf("D0ANA");
  const asked = async () =>
    (await eventsOf(router, conversation)).flatMap((event) =>
      event.kind === "turn-queued" ? [event.text] : [],
    );
  const running = rig.ana.say("D0ANA", "first");
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  const waiting = rig.ana.say("D0ANA", "secnd");
  await until(async () => (await router.openTurns(conversation)).length === 2);
  rig.ana.edit("D0ANA", waiting, "second");
  await until(async () => (await asked()).length === 3);
  rig.ana.say("D0ANA", "third");
  await until(async () => (await asked()).length === 4);
  rig.ana.delete("D0ANA", waiting);
  await until(async () => (await asked()).join() === "first,,,third");
  rig.ana.delete("D0ANA", running);
  await until(async () => (await asked()).join() === ",,,third");
  await until(() => rig.prompts.length === 2);
  expect(rig.prompts).toEqual(["first", "third"]);
  // What became of it is not known for ever, and what it said is.
  const last = rig.ana.say("D0ANA", "!stop");
  await ended(router, conversation, 4);
  workspace.context.db.run("DELETE FROM slack_messages");
  const [third] = rig.slack.messages("D0ANA").filter(({ text }) => text === "third");
  rig.ana.delete("D0ANA", third?.ts ?? "");
  await until(async () => (await asked()).join("") === "");
  rig.ana.delete("D0ANA", last);
  await rig.slack.settled();
  expect(rig.decisions.slice(-2)).toEqual(["drop redacted", "drop redacted"]);
});

test("a deletion of what the bot has never heard leaves nothing", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const { router } = await rig.open();
  const ts = rig.bob.say("C0SHOP", "among us");
  rig.bob.delete("C0SHOP", ts);
  await until(() => rig.decisions.includes("drop edit-of-unknown"));
  expect(await router.openTurns(keyOf("C0SHOP", ts))).toEqual([]);
});

test("a message is taken back too whose process was killed before it had noted its turn", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const { router, intake, workspace } = await rig.open();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", ts);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  await rig.slack.settled();
  workspace.context.db.run("DELETE FROM slack_messages");
  const again = Promise.withResolvers<void>();
  const payload = rig.slack.deliveries[0]?.payload;
  intake.take({ kind: "events_api", payload, retry: 1, ack: () => again.resolve() });
  await again.promise;
  rig.ana.delete("C0SHOP", ts);
  await ended(router, conversation);
  expect(await outcomesIn(router, conversation)).toEqual(["cancelled deleted"]);
});

test("an edit that mentions the bot for the first time is its message, an unfurled link is nothing", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const ts = rig.ana.say("C0SHOP", "look at this");
  rig.slack.touch("C0SHOP", ts);
  rig.ana.edit("C0SHOP", ts, "<@U0BOT> look at this");
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", ts));
  rig.slack.touch("C0SHOP", ts);
  await rig.slack.settled();
  const events = await eventsOf(router, keyOf("C0SHOP", ts));
  expect(events.filter(({ kind }) => kind === "turn-end")).toHaveLength(1);
});

test("an edit of a message that mentioned the bot already is none of its messages", async () => {
  const rig = await IntakeRig.start();
  // Nobody has heard it: it is for whoever looks for what was missed.
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> look");
  await rig.slack.settled();
  const { router } = await rig.open();
  rig.ana.edit("C0SHOP", ts, "<@U0BOT> look at this");
  await until(() => rig.decisions.includes("drop edit-of-unknown"));
  expect(await eventsOf(router, keyOf("C0SHOP", ts))).toEqual([]);
});

test("an edit that mentions the bot an hour later is none of its messages", async () => {
  let now = Date.now();
  const rig = await IntakeRig.start({ now: () => now });
  const { router } = await rig.open();
  const [late, soon] = [rig.ana.say("C0SHOP", "one"), rig.ana.say("C0SHOP", "two")];
  await rig.slack.settled();
  now = Number(late) * 1_000 + 3_600_000;
  rig.ana.edit("C0SHOP", late, "<@U0BOT> one");
  await until(() => rig.decisions.includes("drop edit-of-unknown"));
  now -= 60_000;
  rig.ana.edit("C0SHOP", soon, "<@U0BOT> two");
  await ended(router, keyOf("C0SHOP", soon));
  expect(await eventsOf(router, keyOf("C0SHOP", late))).toEqual([]);
});

test.each([["x"], ["octagonal_sign"]])(
  "the reaction :%s: stops a turn, for whoever may",
  async (sign) => {
    const rig = await IntakeRig.start({ script: WAITING });
    const { router, workspace } = await rig.open();
    const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
    const conversation = keyOf("C0SHOP", thread);
    await until(async () => (await router.openTurns(conversation))[0]?.started === true);
    await workspace.call("chat.postMessage", { channel: "C0SHOP", thread_ts: thread, text: "…" });
    const answer = rig.slack.messages("C0SHOP").at(-1)?.ts ?? "";
    rig.slack.person("U0GUEST").react("C0SHOP", answer, sign);
    await until(() => rig.decisions.includes("drop not-allowed"));
    rig.slack.person("U0GUEST").react("C0SHOP", answer, sign);
    await until(() => rig.decisions.includes("drop not-allowed"));
    rig.bob.react("C0SHOP", answer, sign);
    await until(() => rig.decisions.includes("drop not-yours"));
    rig.ana.react("C0SHOP", answer, "eyes");
    await until(() => rig.decisions.includes("run reaction"));
    rig.ana.react("C0SHOP", answer, sign);
    await ended(router, conversation);
    expect(await outcomesIn(router, conversation)).toEqual(["cancelled user"]);
  },
);

test("the platform's own Stop ends the turn of its thread, for whoever may", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const { router, workspace } = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  const processing = { channel_id: "C0SHOP", thread_ts: thread, status: "processing" };
  await workspace.call("agents.sessions.setStatus", processing);
  rig.bob.stop("C0SHOP", thread);
  await until(() => rig.bob.see("C0SHOP").includes("an approver, can do this"));
  rig.ana.stop("C0SHOP", thread);
  await ended(router, conversation);
  expect(await outcomesIn(router, conversation)).toEqual(["cancelled user"]);
});

test("a bot that changes its message again and again is not answered for ever", async () => {
  const access = [{ users: ["B0OTHER"], role: "user" }] as const;
  const rig = await IntakeRig.start({ script: WAITING, access });
  const { router } = await rig.open();
  const bot = { bot_id: "B0OTHER", app_id: "A0OTHER", user: "U0OTHERBOT" };
  const said = { botId: "B0OTHER", appId: "A0OTHER", user: "U0OTHERBOT" };
  const ts = rig.slack.sayAsBot("C0SHOP", "<@U0BOT> 0", said);
  const conversation = keyOf("C0SHOP", ts);
  await until(async () => (await router.openTurns(conversation)).length === 1);
  for (let at = 1; at <= 8; at += 1) {
    const version = { ...bot, type: "message", ts, subtype: "bot_message" };
    rig.slack.emit({
      ...{ type: "message", subtype: "message_changed", channel: "C0SHOP" },
      ...{ channel_type: "channel", ts: `${Number(ts) + at}` },
      message: { ...version, text: `<@U0BOT> ${at}`, edited: { ts: `${at}`, user: bot.user } },
      previous_message: { ...version, text: `<@U0BOT> ${at - 1}` },
    });
    await rig.slack.settled();
  }
  expect(rig.decisions.filter((each) => each === "drop bot-loop")).toHaveLength(4);
});
