import { expect, test } from "vitest";
import { askedIn, ended, type IntakeProcess, IntakeRig, keyOf, until } from "./intake-rig.ts";

test("a mention in a channel becomes a turn, once for both events that tell of it", async () => {
  const rig = await IntakeRig.start();
  const { router, workspace } = await rig.open();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> fix the &lt;tests&gt;, <@U0BOB> cannot");
  await rig.slack.settled();
  const conversation = keyOf("C0SHOP", ts);
  await ended(router, conversation);
  expect(await askedIn(router, conversation)).toEqual(["fix the <tests>, @bob cannot"]);
  expect(rig.decisions).toEqual(["run prompt", "attach told-again"]);
  expect(rig.slack.deliveries.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
  expect(workspace.open.all()).toMatchObject([{ conversation }]);
});

test("two processes make one turn of a message that comes to both", async () => {
  const rig = await IntakeRig.start();
  const one = await rig.open();
  await rig.open();
  const first = Array.from({ length: 6 }, (_, at) => {
    rig.slack.duplicateNext();
    return rig.ana.say("C0SHOP", `<@U0BOT> ${at}`);
  });
  await rig.slack.settled();
  for (const [at, ts] of first.entries()) {
    await ended(one.router, keyOf("C0SHOP", ts));
    expect(await askedIn(one.router, keyOf("C0SHOP", ts))).toEqual([String(at)]);
  }
});

test("in a thread those are heard who have addressed the bot there, unless they turn to somebody else", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const root = rig.ana.say("C0SHOP", "<@U0BOT> first");
  await rig.slack.settled();
  const said = [
    rig.bob.say("C0SHOP", "nobody asked you", { thread: root }),
    rig.ana.say("C0SHOP", "<@U0BOB> what do you think?", { thread: root }),
    rig.ana.say("C0SHOP", "and the second", { thread: root }),
    rig.ana.say("C0SHOP", "outside of the thread"),
  ];
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", root), 2);
  expect(await askedIn(router, keyOf("C0SHOP", root))).toEqual(["first", "and the second"]);
  // Two sockets bring them, and what is heard in a thread waits for the thread to be read: their order is nobody's.
  const decided = said.map((ts) =>
    rig.inbound
      .filter(({ message }) => message === `T0ACME/C0SHOP/${ts}`)
      .map(({ decision, reason }) => `${decision} ${reason}`),
  );
  expect(decided).toEqual([
    ["drop no-mention"],
    ["drop to-somebody-else"],
    ["run prompt"],
    ["drop no-mention"],
  ]);
});

test.each([
  {
    hasAgentView: true,
    conversations: (first: string, second: string) => [
      keyOf("D0ANA", first),
      keyOf("D0ANA", second),
    ],
  },
  { hasAgentView: false, conversations: () => [keyOf("D0ANA"), keyOf("D0ANA")] },
])(
  "direct messages need no mention (agent view: $hasAgentView)",
  async ({ hasAgentView, conversations }) => {
    const rig = await IntakeRig.start({ hasAgentView });
    const { router } = await rig.open();
    const first = rig.ana.say("D0ANA", "one");
    const second = rig.ana.say("D0ANA", "two");
    await rig.slack.settled();
    const [one = "", two = ""] = conversations(first, second);
    await until(async () => (await askedIn(router, one)).includes("one"));
    await until(async () => (await askedIn(router, two)).includes("two"));
  },
);

test("C11 guests and partners are refused, once an hour and with their id; a rule that has their id lets them in", async () => {
  const rig = await IntakeRig.start({
    access: [
      { users: ["U0PARTNER"], role: "user", slack: { channel: "C0SHARED" } },
      { users: ["*"], role: "user" },
    ],
  });
  const { router } = await rig.open();
  const guest = rig.slack.person("U0GUEST");
  guest.say("C0SHOP", "<@U0BOT> let me in");
  guest.say("C0SHOP", "<@U0BOT> please");
  const partners = rig.slack.person("U0PARTNER").say("C0SHARED", "<@U0BOT> hello");
  await rig.slack.settled();
  await ended(router, keyOf("C0SHARED", partners));
  await until(() => guest.see("C0SHOP").includes("U0GUEST"));
  expect(guest.see("C0SHOP").match(/This bot is private/g)).toHaveLength(1);
  expect(rig.bob.see("C0SHOP")).not.toContain("This bot is private");
  expect(rig.decisions.filter((each) => each === "refuse not-allowed")).toHaveLength(2);
});

test("a refusal is told once an hour, to each person and after a restart as well", async () => {
  let now = Date.now();
  const access = [{ users: ["U0NOBODY"], role: "user" as const }];
  const rig = await IntakeRig.start({ access, now: () => now });
  const before = await rig.open();
  const told = (person = rig.bob) => person.see("C0SHOP").split("This bot is private").length - 1;
  const ask = async (process: IntakeProcess) => {
    const refused = rig.decisions.length;
    rig.bob.say("C0SHOP", "<@U0BOT> let me in");
    await until(() => rig.decisions.length > refused);
    await rig.slack.settled();
    await process.workspace.queue.idle();
    return told();
  };
  expect(await ask(before)).toBe(1);
  now += 3_599_999;
  expect(await ask(before)).toBe(1);
  await before.end();
  const after = await rig.open();
  expect(await ask(after)).toBe(1);
  rig.ana.say("C0SHOP", "<@U0BOT> and me");
  await until(() => told(rig.ana) === 1);
  now += 1;
  expect(await ask(after)).toBe(2);
  expect(await ask(after)).toBe(2);
});

test.each([
  ["of one organisation", "E0ACME", ["run prompt", "refuse not-allowed", "refuse not-allowed"]],
  ["of none", undefined, Array(3).fill("refuse not-allowed")],
] as const)(
  "C11 in a workspace %s a colleague is of its own, a guest of another workspace and a partner are not",
  async (_name, enterprise, expected) => {
    const organised = { enterprise: "E0ACME" };
    const users = [
      { id: "U0COLLEAGUE", name: "cleo", team: "T0OTHER", ...organised },
      { id: "U0THEIRS", name: "theo", team: "T0OTHER", isRestricted: true, ...organised },
      { id: "U0PARTNER", name: "pat", team: "T0PARTNER", enterprise: "E0PARTNER" },
      { id: "U0ANA", name: "ana", team: "T0ACME" },
      { id: "U0BOB", name: "bob", team: "T0ACME" },
    ];
    const members = [...users.map(({ id }) => id), "U0BOT"];
    const channels = [{ id: "C0SHARED", name: "shared", kind: "public" as const, members }];
    const rig = await IntakeRig.start({
      slack: { users, channels, ...(enterprise && { enterprise }) },
    });
    await rig.open();
    for (const id of ["U0COLLEAGUE", "U0THEIRS", "U0PARTNER"]) {
      rig.slack.person(id).say("C0SHARED", "<@U0BOT> hello");
      await rig.slack.settled();
    }
    const of = (decision: string) => !/told-again|own/.test(decision);
    expect(rig.decisions.filter(of).slice(0, 6)).toEqual(expected);
  },
);

test("somebody whose profile cannot be had is not taken for one of the workspace's own, and is heard later", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  rig.slack.fail("users.info", { kind: "error", error: "internal_error" }, 2);
  const ts = rig.ana.say("D0ANA", "hello");
  await until(() => rig.decisions.includes("drop unknown-person"));
  expect(await askedIn(router, keyOf("D0ANA", ts))).toEqual([]);
  expect(rig.waits).toEqual([]);
  expect(rig.notices).toEqual([expect.stringContaining("users:read")]);
});
