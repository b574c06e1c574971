import { ManualClock } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { planCatchUp } from "../src/catch-up/plan-catch-up.ts";
import { askedIn, ended, IntakeRig, keyOf, until } from "./intake/intake-rig.ts";

type SlackEvent = Parameters<IntakeRig["slack"]["emit"]>[0];

const HOUR_MS = 3_600_000;

/** A workspace whose time is two hours behind: what is said there is old by the relay's clock. */
async function startInThePast(options: Parameters<typeof IntakeRig.start>[0] = {}) {
  const clock = new ManualClock(Date.now() - 2 * HOUR_MS);
  const rig = await IntakeRig.start({ ...options, slack: { clock, ...options.slack } });
  return { rig, clock };
}

test("what was said while nobody heard is found, answered once with its age, and one turn for each thread", async () => {
  const { rig, clock } = await startInThePast();
  const before = await rig.open();
  const root = rig.ana.say("C0SHOP", "<@U0BOT> before");
  await rig.slack.settled();
  await ended(before.router, keyOf("C0SHOP", root));
  await before.end();
  clock.advance(60_000);
  rig.ana.say("C0SHOP", "first", { thread: root });
  rig.bob.say("C0SHOP", "not for the bot", { thread: root });
  rig.ana.say("C0SHOP", "!model other", { thread: root });
  rig.ana.say("C0SHOP", "second", { thread: root });
  const missed = rig.bob.say("C0SHOP", "<@U0BOT> I am new here");
  rig.bob.say("C0SHOP", "among ourselves");
  // The platform has given up repeating them.
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  intake.catchUp();
  await ended(router, keyOf("C0SHOP", root), 2);
  await ended(router, keyOf("C0SHOP", missed));
  expect(await askedIn(router, keyOf("C0SHOP", root))).toEqual(["before", "second"]);
  expect(await askedIn(router, keyOf("C0SHOP", missed))).toEqual(["I am new here"]);
  const told = rig.prompts.find((prompt) => prompt.endsWith("\nsecond"));
  expect(told).toContain("\nfirst\n");
  expect(told).not.toContain("not for the bot");
  await until(() => rig.ana.see("C0SHOP").match(/Sent 1 h ago, while I was away/g)?.length === 2);
  expect(rig.decisions.filter((each) => each === "run missed")).toHaveLength(2);
  const events = rig.slack.deliveries.map(({ payload }) => payload["event"] as SlackEvent);
  const late = events.find((event) => event["text"] === "first");
  if (late) rig.slack.emit(late);
  await rig.slack.settled();
  expect(rig.decisions.at(-1)).toBe("attach told-again");
});

test("what is found and what the platform repeats is one, also for two processes", async () => {
  const { rig, clock } = await startInThePast();
  const before = await rig.open();
  const said = rig.ana.say("D0ANA", "before");
  await rig.slack.settled();
  await ended(before.router, keyOf("D0ANA", said));
  await before.end();
  const ts = rig.ana.say("D0ANA", "missed");
  await rig.slack.settled();
  const { router, intake } = await rig.open();
  const other = await rig.open();
  intake.catchUp();
  other.intake.catchUp();
  clock.advance(0);
  clock.advance(60_000);
  clock.advance(300_000);
  await rig.slack.settled();
  await ended(router, keyOf("D0ANA", ts));
  await until(() => rig.decisions.filter((each) => /missed|told-again/.test(each)).length >= 1);
  expect(await askedIn(router, keyOf("D0ANA", ts))).toEqual(["missed"]);
  expect(rig.prompts.filter((prompt) => prompt === "missed")).toHaveLength(1);
});

test("what its author has written past is not run after it, and they are told", async () => {
  const { rig, clock } = await startInThePast({ hasAgentView: false });
  const before = await rig.open();
  rig.ana.say("D0ANA", "before");
  await rig.slack.settled();
  await ended(before.router, keyOf("D0ANA"));
  await before.end();
  rig.ana.say("D0ANA", "old wish");
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  rig.ana.say("D0ANA", "new wish");
  await rig.slack.settled();
  await ended(router, keyOf("D0ANA"), 2);
  intake.catchUp();
  await until(() => rig.ana.see("D0ANA").includes("you have written since"));
  expect(await askedIn(router, keyOf("D0ANA"))).toEqual(["before", "new wish"]);
});

test("a channel that cannot be read now is looked at again by the next start", async () => {
  const { rig, clock } = await startInThePast();
  const before = await rig.open();
  const said = rig.ana.say("D0ANA", "before");
  await rig.slack.settled();
  await ended(before.router, keyOf("D0ANA", said));
  await before.end();
  const ts = rig.ana.say("D0ANA", "missed");
  clock.advance(HOUR_MS);
  const second = await rig.open();
  rig.slack.fail("conversations.history", { kind: "error", error: "internal_error" });
  second.intake.catchUp();
  const live = rig.ana.say("D0ANA", "live");
  await rig.slack.settled();
  await ended(second.router, keyOf("D0ANA", live));
  await second.end();
  const third = await rig.open();
  third.intake.catchUp();
  await ended(third.router, keyOf("D0ANA", ts));
  expect(rig.prompts).toEqual(["before", "live", "missed"]);
});

test("what was said in a channel does not wait until its threads could be read", async () => {
  const { rig, clock } = await startInThePast();
  const before = await rig.open();
  const root = rig.ana.say("C0SHOP", "<@U0BOT> before");
  await rig.slack.settled();
  await ended(before.router, keyOf("C0SHOP", root));
  await before.end();
  const ts = rig.bob.say("C0SHOP", "<@U0BOT> missed");
  rig.ana.say("C0SHOP", "missed there", { thread: root });
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  const { promise: until, resolve: free } = Promise.withResolvers<void>();
  rig.slack.fail("conversations.replies", { kind: "hold", until });
  intake.catchUp();
  await ended(router, keyOf("C0SHOP", ts));
  free();
  await ended(router, keyOf("C0SHOP", root), 2);
  expect(rig.prompts).toEqual(["before", "missed", expect.stringContaining("missed there")]);
});

test("of many conversations the latest 50 are taken up, the one that waits longest first", () => {
  const missed = Array.from({ length: 60 }, (_, at) => ({
    conversation: `c${at}`,
    message: { ts: `${1_000 + at}.000100` } as never,
  }));
  const { turns, left } = planCatchUp(missed.toReversed());
  expect(left.map(({ conversation }) => conversation)).toEqual(
    Array.from({ length: 10 }, (_, at) => `c${at}`),
  );
  expect(turns.map(({ conversation }) => conversation)).toEqual(
    Array.from({ length: 50 }, (_, at) => `c${10 + at}`),
  );
});
