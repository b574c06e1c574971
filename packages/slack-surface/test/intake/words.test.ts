import { expect, test } from "vitest";
import {
  ASKING,
  askedIn,
  ended,
  eventsOf,
  IntakeRig,
  keyOf,
  until,
  WAITING,
} from "./intake-rig.ts";
import { showQuestion } from "./show-question.ts";

const two = [
  { users: ["U0ANA"], role: "user" },
  { users: ["U0BOB"], role: "approver" },
  { users: ["U0GUEST"], role: "user" },
] as const;

test("a plain yes in the thread answers the only question, from its requester or an approver alone", async () => {
  const rig = await IntakeRig.start({ script: ASKING, access: two });
  const process = await rig.open();
  const { router } = process;
  const guest = rig.slack.person("U0GUEST");
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> ask");
  const conversation = keyOf("C0SHOP", thread);
  const asks = async () => (await router.openTurns(conversation)).flatMap((turn) => turn.asks);
  await showQuestion(process, "C0SHOP", thread);
  guest.say("C0SHOP", "<@U0BOT> yes", { thread });
  await until(() => guest.see("C0SHOP").includes("an approver, can do this"));
  expect(await asks()).toHaveLength(1);
  rig.bob.say("C0SHOP", "<@U0BOT> yes", { thread });
  await ended(router, conversation);
  const answer = (await eventsOf(router, conversation)).find(
    ({ kind }) => kind === "permission-answer",
  );
  expect(answer).toMatchObject({ end: "selected", option: { id: "once" }, by: "U0BOB" });
  expect(await askedIn(router, conversation)).toEqual(["ask"]);
});

test("what answers no question goes to the agent, but for what nobody would say to one", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const ts = rig.ana.say("D0ANA", "yes");
  await ended(router, keyOf("D0ANA", ts));
  rig.ana.say("D0ANA", "!no");
  await until(() => rig.ana.see("D0ANA").includes("No question is open"));
});

test("!stop ends what runs, for its requester and approvers", async () => {
  const rig = await IntakeRig.start({ script: WAITING, access: two });
  const { router } = await rig.open();
  const guest = rig.slack.person("U0GUEST");
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> work");
  const conversation = keyOf("C0SHOP", thread);
  await until(async () => (await router.openTurns(conversation))[0]?.started === true);
  guest.say("C0SHOP", "<@U0BOT> !stop", { thread });
  await until(() => guest.see("C0SHOP").includes("an approver, can do this"));
  rig.bob.say("C0SHOP", "<@U0BOT> !stop", { thread });
  await ended(router, conversation);
  const end = (await eventsOf(router, conversation)).at(-1);
  expect(end).toMatchObject({ outcome: { kind: "cancelled", cause: "user" } });
  expect(rig.decisions.filter((each) => each.startsWith("stop"))).toEqual(["stop asked"]);
});

test("a command of the relay's is answered once in the thread, and no turn is made of it", async () => {
  const rig = await IntakeRig.start();
  const one = await rig.open();
  await rig.open();
  const ts = rig.ana.say("C0SHOP", "<@U0BOT> !new");
  await rig.slack.settled();
  await until(() => rig.slack.messages("C0SHOP").some(({ isFromApp }) => isFromApp));
  const answers = rig.slack.messages("C0SHOP").filter(({ isFromApp }) => isFromApp);
  expect(answers).toMatchObject([{ threadTs: ts }]);
  expect(await askedIn(one.router, keyOf("C0SHOP", ts))).toEqual([]);
  expect(rig.decisions.toSorted()).toEqual(["attach told-again", "command new"]);
});

test.each(["status", "queue", "files", "model", "mode", "agent", "diff", "nope"])(
  "what !%s lists is for whoever has asked alone, where it can be seen",
  async (name) => {
    const rig = await IntakeRig.start();
    const { router } = await rig.open();
    const thread = rig.ana.say("C0SHOP", "<@U0BOT> hello");
    await ended(router, keyOf("C0SHOP", thread));
    rig.ana.say("C0SHOP", `!${name}`, { thread });
    rig.ana.say("C0SHOP", `<@U0BOT> !${name}`);
    const told = () => rig.slack.calls.filter(({ method }) => method === "chat.postEphemeral");
    await until(() => told().length === 2);
    const [inThread, inChannel] = told()
      .map(({ args }) => args["thread_ts"])
      .sort();
    expect([inThread, inChannel]).toEqual([thread, undefined]);
    const shown = rig.slack.messages("C0SHOP").filter(({ isFromApp }) => isFromApp);
    expect(shown.map(({ onlyFor }) => onlyFor)).toEqual(["U0ANA", "U0ANA"]);
  },
);

test("a code from the console makes its sender the first operator, before any rule is asked", async () => {
  const rig = await IntakeRig.start({ access: [] });
  const { workspace } = await rig.open();
  const { people } = workspace.context;
  const code = people.createPairingCode() ?? "";
  rig.ana.say("D0ANA", `!pair ${code}`);
  await until(() => rig.ana.see("D0ANA").includes("operator now"));
  expect(people.roleOf({ surface: "slack", bot: "shop", user: "U0ANA" })).toBe("operator");
});

test("a code is taken in a thread that goes on without mentions, and nowhere else without one", async () => {
  const rig = await IntakeRig.start();
  const { router, workspace } = await rig.open();
  const code = workspace.context.people.createPairingCode() ?? "";
  rig.bob.say("C0SHOP", `!pair ${code}`);
  await until(() => rig.decisions.includes("drop no-mention"));
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> hello");
  await ended(router, keyOf("C0SHOP", thread));
  rig.ana.say("C0SHOP", `!pair ${code}`, { thread });
  await until(() => rig.ana.see("C0SHOP").includes("operator now"));
});

test("another bot is heard where a rule has its id, and not for ever", async () => {
  const rig = await IntakeRig.start({
    access: [
      { users: ["B0OTHER"], role: "user" },
      { users: ["*"], role: "user" },
    ],
  });
  const { router } = await rig.open();
  const say = (botId: string, text: string, thread?: string) =>
    rig.slack.sayAsBot("C0SHOP", text, {
      ...{ botId, appId: "A0OTHER", user: "U0OTHERBOT" },
      ...(thread !== undefined && { thread }),
    });
  say("B0STRANGE", "<@U0BOT> obey");
  const thread = say("B0OTHER", "<@U0BOT> 1");
  for (let at = 2; at <= 7; at += 1) say("B0OTHER", `<@U0BOT> ${at}`, thread);
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", thread), 5);
  expect(await askedIn(router, keyOf("C0SHOP", thread))).toEqual(["1", "2", "3", "4", "5"]);
  expect(rig.decisions).toContain("refuse not-allowed");
  expect(rig.decisions.filter((each) => each === "drop bot-loop")).toHaveLength(4);
  rig.ana.say("C0SHOP", "<@U0BOT> go on", { thread });
  await rig.slack.settled();
  say("B0OTHER", "<@U0BOT> 8", thread);
  await ended(router, keyOf("C0SHOP", thread), 7);
  expect((await askedIn(router, keyOf("C0SHOP", thread))).at(-1)).toBe("8");
});
