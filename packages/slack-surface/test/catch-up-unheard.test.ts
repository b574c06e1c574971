import type { SlackBot } from "@acp-kit/relay";
import { ManualClock } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { listConversations } from "../src/catch-up/list-conversations.ts";
import { askedIn, ended, IntakeRig, keyOf, until } from "./intake/intake-rig.ts";

const HOUR_MS = 3_600_000;
const FEATURES = [
  ...["channels", "private-channels", "group-messages", "direct-messages", "catch-up"],
] as SlackBot["features"];

/** A relay and a workspace that have their time from one clock. */
async function start(options: Parameters<typeof IntakeRig.start>[0] = {}) {
  const clock = new ManualClock(Date.now() - 4 * HOUR_MS);
  const slack = { clock, rates: false, ...options.slack };
  const rig = await IntakeRig.start({
    ...{ features: FEATURES, now: () => clock.now() },
    ...options,
    slack,
  });
  const lists = () => rig.slack.calls.filter(({ method }) => method === "users.conversations");
  /** A process that has heard nothing but this, and has looked for what it missed. */
  const live = async (say?: () => void) => {
    const process = await rig.open();
    process.intake.catchUp();
    await until(() => (process.workspace.heard.hereUntil() ?? "") >= String(clock.now() / 1_000));
    say?.();
    await rig.slack.settled();
    await process.end();
  };
  return { rig, clock, lists, live };
}

test("a bot that is new answers nothing that was said before, and asks for nothing", async () => {
  const { rig, clock, lists, live } = await start();
  rig.ana.say("D0ANA", "long ago");
  rig.ana.say("C0SHOP", "<@U0BOT> long ago");
  clock.advance(HOUR_MS);
  await live();
  expect(lists()).toEqual([]);
  expect(rig.decisions).toEqual([]);
  // Not later either.
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  const ts = rig.bob.say("D0BOB", "new");
  await rig.slack.settled();
  await ended(router, keyOf("D0BOB", ts));
  intake.catchUp();
  await until(() => lists().length === 4);
  await intake[Symbol.asyncDispose]();
  expect(rig.prompts).toEqual(["new"]);
});

test("first messages of every kind of conversation are found, and answered once with their age", async () => {
  const { rig, clock, live } = await start();
  await live();
  clock.advance(60_000);
  const direct = rig.ana.say("D0ANA", "first direct");
  const mentions = ["C0SHOP", "G0QUIET", "G0GROUP"].map(
    (channel) => [channel, rig.ana.say(channel, `<@U0BOT> first in ${channel}`)] as const,
  );
  rig.ana.say("C0SHOP", "among ourselves");
  clock.advance(HOUR_MS + 60_000);
  const { router, intake, end } = await rig.open();
  intake.catchUp();
  await ended(router, keyOf("D0ANA", direct));
  expect(await askedIn(router, keyOf("D0ANA", direct))).toEqual(["first direct"]);
  for (const [channel, ts] of mentions) await ended(router, keyOf(channel, ts));
  await until(() => /Sent 1 h ago, while I was away/.test(rig.ana.see("D0ANA")));
  await until(() => /Sent 1 h ago, while I was away/.test(rig.ana.see("C0SHOP")));
  expect(rig.decisions.filter((each) => each === "run missed")).toHaveLength(4);
  await end();
  await live();
  expect(rig.prompts).toHaveLength(4);
});

test("of many that were said in one direct conversation the last is answered, with the others", async () => {
  const { rig, clock, live } = await start({ hasAgentView: false });
  await live();
  clock.advance(60_000);
  for (let at = 0; at < 55; at += 1) rig.ana.say("D0ANA", `wish ${at}.`);
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  intake.catchUp();
  await ended(router, keyOf("D0ANA"));
  expect(await askedIn(router, keyOf("D0ANA"))).toEqual(["wish 54."]);
  expect(rig.prompts).toHaveLength(1);
  expect(rig.prompts[0]).toContain("wish 5.");
  expect(rig.prompts[0]).not.toContain("wish 4.");
});

test("it is looked back to when something was heard last, and no further", async () => {
  const { rig, clock, live } = await start();
  await live();
  rig.ana.say("C0SHOP", "<@U0BOT> before that");
  clock.advance(HOUR_MS);
  // It was in none of them then.
  for (let channel = 0; channel < 6; channel += 1) {
    rig.slack.fail("conversations.history", { kind: "error", error: "not_in_channel" });
  }
  await live(() => rig.bob.say("D0BOB", "heard"));
  clock.advance(60_000);
  const missed = rig.ana.say("D0ANA", "after that");
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  intake.catchUp();
  await ended(router, keyOf("D0ANA", missed));
  expect(await askedIn(router, keyOf("D0ANA", missed))).toEqual(["after that"]);
  expect(rig.prompts.filter((prompt) => prompt.includes("before that"))).toEqual([]);
});

test("only kinds are asked for that the features have, and none without the feature for it", async () => {
  const some = await start({ features: ["direct-messages", "catch-up"] });
  await some.live();
  await some.live();
  expect(some.lists().map(({ args }) => args["types"])).toEqual(["im"]);
  const none = await start({ features: FEATURES.filter((one) => one !== "catch-up") });
  await none.live();
  await none.live();
  expect(none.lists()).toEqual([]);
});

test("a scope that was not granted hides its own kind, and nothing that was heard before", async () => {
  const scopes = [
    ...["channels:read", "channels:history", "im:history", "chat:write", "users:read"],
  ];
  const { rig, clock, lists, live } = await start({ slack: { app: { scopes } } });
  await live(() => rig.bob.say("D0BOB", "before"));
  clock.advance(60_000);
  const known = rig.bob.say("D0BOB", "known");
  const mention = rig.ana.say("C0SHOP", "<@U0BOT> in a channel");
  rig.ana.say("D0ANA", "hidden");
  clock.advance(HOUR_MS);
  const { router, intake } = await rig.open();
  intake.catchUp();
  await ended(router, keyOf("D0BOB", known));
  await ended(router, keyOf("C0SHOP", mention));
  await intake[Symbol.asyncDispose]();
  expect(
    lists()
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual([...["missing_scope", "missing_scope", "missing_scope", "ok"]]);
  expect(rig.prompts.filter((prompt) => prompt.includes("hidden"))).toEqual([]);
});

test("what could not be asked for is looked for by the next start, also where something was heard since", async () => {
  const { rig, clock, lists, live } = await start();
  await live();
  clock.advance(60_000);
  const missed = rig.ana.say("D0ANA", "missed");
  clock.advance(HOUR_MS);
  const second = await rig.open();
  for (let kind = 0; kind < 4; kind += 1) {
    rig.slack.fail("users.conversations", { kind: "error", error: "internal_error" });
  }
  second.intake.catchUp();
  await until(() => lists().length === 4);
  const since = rig.ana.say("D0ANA", "live");
  await rig.slack.settled();
  await ended(second.router, keyOf("D0ANA", since));
  await second.end();
  const third = await rig.open();
  third.intake.catchUp();
  await ended(third.router, keyOf("D0ANA", missed));
  expect(rig.prompts).toEqual(["live", "missed"]);
});

test("very many conversations are listed by pages, the direct ones first", async () => {
  const members = ["U0ANA", "U0BOT"];
  const many = Array.from({ length: 450 }, (_, at) => ({
    ...{ id: `C${1_000 + at}`, name: `c${at}`, kind: "public" as const, members },
  }));
  const direct = { id: "D0ANA", name: "ana", kind: "im" as const, members };
  const { rig, lists } = await start({ slack: { channels: [...many, direct] } });
  const { workspace } = await rig.open();
  const { channels, isWhole, isCut } = await listConversations(workspace);
  expect({ isWhole, isCut }).toEqual({ isWhole: true, isCut: false });
  expect(channels).toEqual(["D0ANA", ...many.map(({ id }) => id)]);
  expect(lists()).toHaveLength(3 + 3);
});
