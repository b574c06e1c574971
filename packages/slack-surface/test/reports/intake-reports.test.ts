import { ManualClock } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { askedIn, ended, IntakeRig, keyOf, until } from "../intake/intake-rig.ts";

test("a message that came while nobody was there runs when the platform repeats it, once", async () => {
  const clock = new ManualClock();
  const rig = await IntakeRig.start({ slack: { clock } });
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> are you there?");
  await rig.slack.settled();
  // It repeats at once, after a minute and after five.
  clock.advance(0);
  await rig.slack.settled();
  expect(rig.slack.deliveries.map(({ attempts }) => attempts)).toEqual([2, 2]);
  const { router } = await rig.open();
  clock.advance(60_000);
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", ts));
  expect(rig.slack.deliveries.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
  clock.advance(300_000);
  await rig.slack.settled();
  expect(rig.decisions).toEqual(["run prompt", "attach told-again"]);
  expect(rig.prompts).toEqual(["are you there?"]);
});

test("a message of which the platform tells again and again runs once, also after a restart", async () => {
  const rig = await IntakeRig.start();
  const first = await rig.open();
  rig.slack.duplicateNext();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> once");
  await rig.slack.settled();
  await ended(first.router, keyOf("C0SHOP", ts));
  await first.end();
  const second = await rig.open();
  const [told] = rig.slack.deliveries.map(({ payload }) => payload["event"] as { type: string });
  if (told) rig.slack.emit(told);
  await rig.slack.settled();
  await until(() => rig.decisions.length >= 4);
  expect(rig.decisions[0]).toBe("run prompt");
  expect(new Set(rig.decisions.slice(1))).toEqual(new Set(["attach told-again"]));
  expect(await askedIn(second.router, keyOf("C0SHOP", ts))).toEqual(["once"]);
  expect(rig.prompts).toEqual(["once"]);
});

test("nothing that the app says or changes itself starts a turn, whoever it looks like", async () => {
  const users = ["U0ANA", "U0BOT", "B0BOT", "B0OFANA"];
  const rig = await IntakeRig.start({ access: [{ users, role: "user" }] });
  const { router, workspace } = await rig.open();
  const { call } = workspace;
  const channel = "C0SHOP";
  const posted = await call("chat.postMessage", { channel, text: "<@U0BOT> go on" });
  const ts = posted.kind === "ok" ? String(posted.body["ts"]) : "";
  await call("chat.update", { channel, ts, text: "<@U0BOT> go on and on" });
  await call("chat.postMessage", { channel, thread_ts: ts, text: "<@U0BOT> more" });
  await call("chat.delete", { channel, ts });
  // With a person's token: another bot id, and a person's name.
  const asAna = { botId: "B0OFANA", appId: rig.slack.app.id, user: "U0ANA" };
  const hers = rig.slack.sayAsBot(channel, "<@U0BOT> in her name", asAna);
  const own = rig.ana.say(channel, "<@U0BOT> hello");
  await rig.slack.settled();
  await ended(router, keyOf(channel, own));
  for (const each of [ts, hers]) expect(await askedIn(router, keyOf(channel, each))).toEqual([]);
  expect(rig.prompts).toEqual(["hello"]);
  expect(rig.slack.deliveries.every(({ state }) => state === "acknowledged")).toBe(true);
});

test("who posts through another app is that person where a rule names them, and a bot otherwise", async () => {
  const rig = await IntakeRig.start({
    access: [
      { users: ["U0ANA"], role: "user" },
      { users: ["*"], role: "user" },
    ],
  });
  const { router } = await rig.open();
  const through = { botId: "B0TOOL", appId: "A0TOOL" };
  const say = (user: string) =>
    rig.slack.sayAsBot("C0SHOP", "<@U0BOT> hello", { ...through, user });
  const bobs = say("U0BOB");
  const anas = say("U0ANA");
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", anas));
  expect(await askedIn(router, keyOf("C0SHOP", bobs))).toEqual([]);
  expect(rig.inbound).toContainEqual(
    expect.objectContaining({
      decision: "run",
      user: "U0ANA",
      conversation: keyOf("C0SHOP", anas),
    }),
  );
});

test("an event that nobody knows is acknowledged, and no message needs one before it", async () => {
  const events = ["message.im", "app_mention", "assistant_thread_started"];
  const rig = await IntakeRig.start({ slack: { app: { events } } });
  const { router } = await rig.open();
  const ts = rig.ana.say("D0ANA", "hello");
  rig.slack.emit({ type: "assistant_thread_started", assistant_thread: { user_id: "U0ANA" } });
  rig.slack.emit({ type: "app_mention" });
  rig.slack.emit({ type: "message", channel: "D0ANA", channel_type: "im" });
  await rig.slack.settled();
  await ended(router, keyOf("D0ANA", ts));
  expect(rig.slack.deliveries).toHaveLength(4);
  expect(rig.slack.deliveries.every(({ state }) => state === "acknowledged")).toBe(true);
  expect(rig.prompts).toEqual(["hello"]);
  expect(rig.failures).toEqual([]);
});

test("of a long thread the agent is told the newest messages", async () => {
  const rig = await IntakeRig.start();
  const thread = rig.bob.say("C0SHOP", "said 0");
  for (let at = 1; at < 230; at += 1) rig.bob.say("C0SHOP", `said ${at}`, { thread });
  const { router } = await rig.open();
  rig.ana.say("C0SHOP", "<@U0BOT> well?", { thread });
  await ended(router, keyOf("C0SHOP", thread));
  const [prompt = ""] = rig.prompts;
  const told = [...prompt.matchAll(/^said (\d+)$/gm)].map(([, at]) => Number(at));
  expect(told).toEqual(Array.from({ length: 50 }, (_, at) => 180 + at));
});
