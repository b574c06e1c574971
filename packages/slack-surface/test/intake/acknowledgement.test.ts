import { expect, test } from "vitest";
import { SlackIntake } from "../../src/index.ts";
import { ended, IntakeRig, keyOf, until } from "./intake-rig.ts";

test("of a thousand messages 99 in 100 are acknowledged within 100 ms, each when it is committed", async () => {
  const rig = await IntakeRig.start({ slack: { rates: false } });
  const { workspace, router } = await rig.open();
  workspace.context.people.pauseAll("U0ANA", "measuring");
  const said: string[] = [];
  for (let at = 0; at < 100; at += 1) {
    for (let each = 0; each < 5; each += 1) {
      said.push(rig.ana.say("C0SHOP", `<@U0BOT> do ${at}.${each}`));
    }
    await rig.slack.settled();
  }
  expect(rig.waits).toHaveLength(1_000);
  const sorted = rig.waits.toSorted((one, other) => one - other);
  expect(sorted[Math.floor(sorted.length * 0.99) - 1]).toBeLessThan(100);
  expect(rig.slack.calls.filter(({ method }) => method === "users.info")).toHaveLength(1);
  for (const ts of said) expect(await router.log(keyOf("C0SHOP", ts)).last()).toBeGreaterThan(0);
});

test("who is known is not kept waiting by a platform that does not answer", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const first = rig.ana.say("D0ANA", "hello");
  await ended(router, keyOf("D0ANA", first));
  rig.slack.fail("*", { kind: "hang" }, 100);
  const second = rig.ana.say("D0ANA", "again");
  await rig.slack.settled();
  expect(rig.waits.at(-1)).toBeLessThan(1_000);
  await ended(router, keyOf("D0ANA", second));
});

test("over HTTP it is the same: events, clicks and slash commands", async () => {
  const rig = await IntakeRig.start({ transport: "http" });
  const { router } = await rig.open();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> hello");
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", ts));
  expect(rig.decisions).toEqual(["run prompt", "attach told-again"]);
  rig.ana.edit("C0SHOP", ts, "<@U0BOT> hello again");
  await until(() => rig.ana.buttons("C0SHOP").length > 0);
  expect((await rig.ana.click("C0SHOP", "Run again")).state).toBe("acknowledged");
  await ended(router, keyOf("C0SHOP", ts), 2);
  const status = await rig.ana.slash("C0SHOP", "/agent", "status");
  expect(JSON.stringify(status.answer)).toContain("ephemeral");
});

test("what cannot be committed is not acknowledged, and comes again", async () => {
  const rig = await IntakeRig.start();
  const first = await rig.open();
  await first.router[Symbol.asyncDispose]();
  rig.ana.say("D0ANA", "hello");
  await until(() => rig.decisions.includes("drop restarting"));
  expect(rig.waits).toEqual([]);
});

test("a journal's line of each envelope has its reason and no text", async () => {
  const rig = await IntakeRig.start();
  await rig.open();
  rig.ana.say("C0SHOP", "<@U0BOT> planted-words");
  rig.bob.say("C0SHOP", "planted-words");
  rig.ana.say("G0GROUP", "planted-words among three");
  rig.ana.say("G0GROUP", "<@U0BOT> planted-words");
  await rig.slack.settled();
  expect(rig.decisions.toSorted()).toEqual([
    "attach told-again",
    "attach told-again",
    "drop no-mention",
    "drop no-mention",
    "run prompt",
    "run prompt",
  ]);
  expect(JSON.stringify(rig.inbound)).not.toContain("planted");
});

test("a database that cannot be written is no reason to hear nothing", async () => {
  const rig = await IntakeRig.start();
  const { workspace } = await rig.open();
  const { db } = workspace.context;
  db.run("PRAGMA query_only = 1");
  await using _intake = new SlackIntake(workspace);
  await until(() => rig.failures.length === 1);
  db.run("PRAGMA query_only = 0");
});
