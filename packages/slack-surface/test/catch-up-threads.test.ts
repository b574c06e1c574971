import type { SlackBot } from "@acp-kit/relay";
import { ManualClock } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { planThreads } from "../src/catch-up/plan-catch-up.ts";
import { askedIn, ended, IntakeRig, keyOf, until } from "./intake/intake-rig.ts";

const HOUR_MS = 3_600_000;
const features = ["channels", "direct-messages", "catch-up"] as SlackBot["features"];

/** A bot that was there, and is not any more. */
async function away(options: Parameters<typeof IntakeRig.start>[0] = {}) {
  const clock = new ManualClock(Date.now() - 4 * HOUR_MS);
  const slack = { clock, rates: false, ...options.slack };
  const rig = await IntakeRig.start({
    ...{ features, now: () => clock.now() },
    ...options,
    slack,
  });
  const leave = async (say?: () => void) => {
    clock.advance(10 * 60_000);
    const process = await rig.open();
    process.intake.catchUp();
    await until(() => (process.workspace.heard.hereUntil() ?? "") >= String(clock.now() / 1_000));
    say?.();
    await rig.slack.settled();
    await process.end();
    clock.advance(60_000);
  };
  const comeBack = async () => {
    clock.advance(HOUR_MS + 60_000);
    const process = await rig.open();
    process.intake.catchUp();
    return process;
  };
  const threads = () =>
    rig.slack.calls
      .filter(({ method }) => method === "conversations.replies")
      .map(({ args }) => args["ts"]);
  return { rig, clock, leave, comeBack, threads };
}

test("a first mention in a thread is found in a channel where nothing was ever heard, with what was said there before", async () => {
  const { rig, leave, comeBack } = await away();
  const root = rig.ana.say("C0SHOP", "the build is red");
  await leave();
  rig.bob.say("C0SHOP", "since noon", { thread: root });
  rig.ana.say("C0SHOP", "<@U0BOT> why?", { thread: root });
  rig.bob.say("C0SHOP", "let us see", { thread: root });
  const { router } = await comeBack();
  await ended(router, keyOf("C0SHOP", root));
  expect(await askedIn(router, keyOf("C0SHOP", root))).toEqual(["why?"]);
  const [prompt = ""] = rig.prompts;
  expect(prompt).toMatch(/the build is red.*since noon.*why\?/s);
  expect(prompt).not.toContain("let us see");
  await until(() => rig.ana.see("C0SHOP").includes("Sent 1 h ago, while I was away."));
});

test("several mentions in such a thread are one turn, and each is told once", async () => {
  const { rig, leave, comeBack } = await away();
  const root = rig.ana.say("C0SHOP", "the build is red");
  await leave();
  rig.ana.say("C0SHOP", "<@U0BOT> is it the cache?", { thread: root });
  rig.bob.say("C0SHOP", "rather the disk", { thread: root });
  rig.ana.say("C0SHOP", "<@U0BOT> or the disk?", { thread: root });
  const { router } = await comeBack();
  await ended(router, keyOf("C0SHOP", root));
  expect(await askedIn(router, keyOf("C0SHOP", root))).toEqual(["or the disk?"]);
  const told = rig.prompts.join("\n");
  expect(told).toMatch(/red.*the cache\?.*rather the disk.*or the disk\?/s);
  expect(told.match(/the cache\?/g)).toHaveLength(1);
});

test("a first mention is found in a thread that was never followed, in a channel that was heard", async () => {
  const { rig, leave, comeBack, threads } = await away();
  const quiet = rig.bob.say("C0SHOP", "lunch?");
  const root = rig.bob.say("C0SHOP", "the build is red");
  rig.ana.say("C0SHOP", "yes", { thread: quiet });
  await leave(() => rig.ana.say("C0SHOP", "among ourselves"));
  rig.ana.say("C0SHOP", "<@U0BOT> look", { thread: root });
  const { router } = await comeBack();
  await ended(router, keyOf("C0SHOP", root));
  expect(await askedIn(router, keyOf("C0SHOP", root))).toEqual(["look"]);
  // A thread in which nothing was said since costs no call.
  expect(threads()).not.toContain(quiet);
});

test("a thread that begins on the page of an app with few calls is found, and one that begins before it is not", async () => {
  const { rig, leave, comeBack } = await away({ slack: { app: { isCommercial: true } } });
  const old = rig.ana.say("C0SHOP", "long ago");
  for (let at = 0; at < 14; at += 1) rig.bob.say("C0SHOP", `among ourselves ${at}`);
  const root = rig.ana.say("C0SHOP", "of late");
  await leave();
  rig.ana.say("C0SHOP", "<@U0BOT> hidden", { thread: old });
  rig.ana.say("C0SHOP", "<@U0BOT> found", { thread: root });
  const { router, intake } = await comeBack();
  await ended(router, keyOf("C0SHOP", root));
  await intake[Symbol.asyncDispose]();
  expect(rig.prompts.filter((prompt) => prompt.includes("hidden"))).toEqual([]);
});

test("threads in which something was said since are read, the latest first, and of those that are followed the ones of which nothing is known", () => {
  const head = (thread: string, latest?: string) => ({ thread, latest });
  const heads = [...[head("1.0", "50.0"), head("2.0", "90.0"), head("3.0", "10.0"), head("4.0")]];
  const channels = [{ channel: "C1", after: "20.0", heads }];
  const followed = ["3.0", "1.0", "0.5"].map((thread) => ({ channel: "C1", thread }));
  expect(planThreads(channels, [...followed, { channel: "C2", thread: "7.0" }])).toEqual({
    threads: ["2.0", "1.0", "0.5"].map((thread) => ({ channel: "C1", thread, after: "20.0" })),
    left: 0,
  });
  const many = Array.from({ length: 60 }, (_, at) => head(`${at}.0`, `${100 + at}.0`));
  const { threads, left } = planThreads([{ channel: "C1", after: "20.0", heads: many }], []);
  expect(threads.map(({ thread }) => thread)).toEqual(
    Array.from({ length: 50 }, (_, at) => `${59 - at}.0`),
  );
  expect(left).toBe(10);
});
