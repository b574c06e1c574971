import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { AccessRule, Person } from "../../src/people/access-rule.ts";
import { isOpenTo } from "../../src/people/is-open-to.ts";
import { parsePairing } from "../../src/people/parse-pairing.ts";
import { type AccessDecision, createPeople, type PeopleOptions } from "../../src/people/people.ts";
import { placeOf } from "../../src/people/place-of.ts";
import { policyFor } from "../../src/people/policies.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { RELAY_TABLES } from "../../src/relay-tables.ts";
import { temporaryDirectory } from "../support.ts";

let stateDir: string;
let now: number;
let decisions: AccessDecision[];

beforeEach(() => {
  stateDir = temporaryDirectory();
  now = 1_764_500_000_000;
  decisions = [];
});

const ana: Person = { surface: "poe", bot: "shop", user: "u-ana" };
const eve: Person = { ...ana, user: "u-eve" };

/** One process of the relay. */
async function open(options: Partial<PeopleOptions> = {}) {
  const db = await openRelayDb(stateDir, RELAY_TABLES);
  onTestFinished(() => db[Symbol.asyncDispose]());
  return createPeople({
    db,
    app: "poe-relay",
    rules: [],
    limits: {},
    isDemo: false,
    boundsOf: () => ({ agent: "claude", workspace: "shop" }),
    workspaceOf: () => "shop",
    now: () => now,
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
}

const rule = (changes: Partial<AccessRule> = {}): AccessRule => ({
  users: ["u-ana"],
  role: "user",
  ...changes,
});

describe("C7: what somebody may choose", () => {
  const bounds = { agent: "claude", workspace: "shop" };
  test.each<
    [string, Partial<AccessRule>, string, string | boolean, string | boolean | undefined, boolean]
  >([
    ["a user keeps the agent's default mode", {}, "mode", "ask", "ask", true],
    ["a user has no other mode without a list", {}, "mode", "bypassPermissions", "ask", false],
    ["nor one while the default is not known", {}, "mode", "ask", undefined, false],
    ["an operator has any mode", { role: "operator" }, "mode", "bypassPermissions", "ask", true],
    ["an approver has no more than a user", { role: "approver" }, "mode", "bypass", "ask", false],
    ["a list of modes is what is open", { modes: ["plan"] }, "mode", "plan", "ask", true],
    [
      "and nothing else, the default mode included",
      { modes: ["plan"] },
      "mode",
      "ask",
      "ask",
      false,
    ],
    ["an empty list is nothing", { modes: [] }, "mode", "ask", "ask", false],
    ['"*" is everything', { modes: ["*"] }, "mode", "bypass", "ask", true],
    ["a value that is called * is none", { modes: ["plan"] }, "mode", "*", "ask", false],
    ["another option of the agent stays as it is", {}, "auto_approve", true, false, false],
    ["as it was", {}, "auto_approve", false, false, true],
    ["without a list any model", {}, "model", "opus", "haiku", true],
    ["a list of models", { models: ["haiku"] }, "model", "opus", "haiku", false],
    ["any thinking level", {}, "thinking", "max", "low", true],
    ["the bot's agent", {}, "agent", "claude", undefined, true],
    ["no other agent", {}, "agent", "fir", undefined, false],
    ["a listed agent", { agents: ["fir"] }, "agent", "fir", undefined, true],
    ["then not the bot's own", { agents: ["fir"] }, "agent", "claude", undefined, false],
    ["the bot's workspace", {}, "workspace", "shop", undefined, true],
    ["no other workspace", {}, "workspace", "infra", undefined, false],
    ["a listed workspace", { workspaces: ["infra"] }, "workspace", "infra", undefined, true],
  ])("%s", (_, changes, setting, value, initial, expected) => {
    expect(isOpenTo(rule(changes), { setting, value, initial }, bounds)).toBe(expected);
  });

  test("what the agent's configuration lists bounds what a rule lists", () => {
    const both = { ...bounds, models: ["haiku"], modes: ["plan", "ask"] };
    const open = (setting: string, value: string) =>
      isOpenTo(rule({ models: ["*"], modes: ["plan", "bypass"] }), { setting, value }, both);
    expect(open("model", "haiku")).toBe(true);
    expect(open("model", "opus")).toBe(false);
    expect(open("mode", "plan")).toBe(true);
    expect(open("mode", "ask")).toBe(false);
    expect(open("mode", "bypass")).toBe(false);
  });

  test("who has no rule may choose nothing", () => {
    expect(isOpenTo(undefined, { setting: "model", value: "x" }, bounds)).toBe(false);
  });
});

describe("the place of a rule", () => {
  const rules: readonly AccessRule[] = [
    rule({ slack: { channel: "C0SHOP" }, users: ["U1", "U2"], approvers: ["U1", "U9"] }),
    rule({ slack: { dm: true }, users: ["U1"], role: "operator" }),
    rule({ slack: { team: "T2" }, users: ["*"] }),
    rule({ poe: { bot: "shop" }, users: ["u-ana"] }),
  ];
  test.each([
    ["a channel's rule names who approves there", "slack/bot/T1/C0SHOP/1.2", "U1", "approver"],
    ["others of it are users", "slack/bot/T1/C0SHOP/1.2", "U2", "user"],
    ["an approver need not be listed twice", "slack/bot/T1/C0SHOP/1.2", "U9", "approver"],
    ["a rule for direct messages is for them alone", "slack/bot/T1/D77/1.2", "U1", "operator"],
    ["another channel has no rule", "slack/bot/T1/C0OTHER/1.2", "U1", undefined],
    ["a rule for a team is for all of it", "slack/bot/T2/C0OTHER/1.2", "U5", "user"],
    ["a rule for a bot of one platform", "poe/shop/c-1", "u-ana", "user"],
    ["is for no other bot", "poe/infra/c-1", "u-ana", undefined],
    ["and for no other platform", "slack/shop/T1/C1/1.2", "u-ana", undefined],
  ])("%s", async (_, conversation, user, role) => {
    const people = await open({ rules });
    expect(people.roleOf({ ...placeOf(conversation), user })).toBe(role);
  });

  test("C11: a guest is admitted by a rule that has their id, and by none for everybody", async () => {
    const people = await open({
      rules: [rule({ users: ["*"] }), rule({ users: ["U8"], approvers: ["*"] })],
    });
    const guest = { ...placeOf("slack/bot/T1/C1/1.2"), isOutsider: true };
    expect(people.roleOf({ ...guest, user: "U7" })).toBeUndefined();
    expect(people.roleOf({ ...guest, user: "U7", isOutsider: false })).toBe("user");
    expect(people.roleOf({ ...guest, user: "U8" })).toBe("approver");
  });

  test("who approves in a place can be told", async () => {
    const people = await open({ rules });
    expect(people.approversIn(placeOf("slack/bot/T1/C0SHOP/1.2"))).toEqual(["U1", "U9"]);
    expect(people.approversIn(placeOf("poe/shop/c"))).toEqual([]);
  });
});

describe("C10: pairing", () => {
  test("the code makes who sends it the operator of every bot, in every process, and works once", async () => {
    const [people, other] = [await open(), await open()];
    const code = people.createPairingCode() ?? "";
    expect(code).toMatch(/^\d{3}-\d{3}$/);
    expect(people.admit(ana).kind).toBe("refused");
    expect(other.pair(ana, code)).toEqual({
      kind: "paired",
      text: "You are this bot's operator now.",
    });
    expect(people.admit({ ...ana, bot: "infra" })).toEqual({ kind: "admitted", role: "operator" });
    expect(people.pair(ana, code).kind).toBe("paired");
    expect(people.pair(eve, code).kind).toBe("closed");
    expect(people.roleOf(eve)).toBeUndefined();
    expect(people.createPairingCode()).toBeUndefined();
    expect(decisions.map(({ what, reason }) => [what, reason])).toEqual([
      ["talk", "no-rule"],
      ["pairing", "paired"],
      ["pairing", "paired"],
      ["pairing", "closed"],
    ]);
  });

  test("after five tries the code is none any more, also for who knows it", async () => {
    const people = await open();
    const code = people.createPairingCode() ?? "";
    const wrong = code === "111-111" ? "222-222" : "111-111";
    const texts = Array.from({ length: 5 }, () => people.pair(eve, wrong).text);
    expect(texts[0]).toContain("Tries left: 4.");
    expect(texts[4]).toContain("It was the last try.");
    expect(people.pair(ana, code).kind).toBe("closed");
  });

  test("after ten minutes the code is none any more, and a new one takes the place of an old one", async () => {
    const people = await open();
    const first = people.createPairingCode() ?? "";
    const second = people.createPairingCode() ?? "";
    if (first !== second) expect(people.pair(ana, first).kind).toBe("wrong");
    now += 600_000;
    expect(people.pair(ana, second).kind).toBe("closed");
  });

  test("nobody without an id is paired, and the code is not in the database", async () => {
    const people = await open();
    const code = people.createPairingCode() ?? "";
    expect(people.pair({ ...ana, user: "" }, code).kind).toBe("closed");
    const db = await openRelayDb(stateDir, RELAY_TABLES);
    const kept = JSON.stringify(db.all("SELECT * FROM people_pairing"));
    await db[Symbol.asyncDispose]();
    expect(kept).not.toContain(code.slice(0, 3) + code.slice(4));
  });

  test("there is no code in the demo, and none where a rule names an operator", async () => {
    expect((await open({ isDemo: true })).createPairingCode()).toBeUndefined();
    const named = await open({ rules: [rule({ role: "operator" })] });
    expect(named.createPairingCode()).toBeUndefined();
    const empty = await open({ rules: [rule({ role: "operator", users: [] })] });
    expect(empty.createPairingCode()).toBeDefined();
  });

  test.each([
    ["!pair 482-913", "482913"],
    [" /Pair 482913 ", "482913"],
    [".pair 482 913", "482913"],
    ["!pair 482-9133", undefined],
    ["!pair", undefined],
    ["please !pair 482-913", undefined],
  ])("%j is read as the code %s", (text, code) => {
    expect(parsePairing(text)).toBe(code);
  });
});

describe("a turn", () => {
  const start = { conversation: "poe/shop/c-1", turn: "t-1", user: "u-ana" };

  test("C31: does not start while the relay is paused, for nobody and in no process, and says why", async () => {
    const rules = [rule({ role: "operator" })];
    const [people, other] = [await open({ rules }), await open({ rules })];
    people.pauseAll("u-ana", " budget\n talks ");
    expect(other.pause).toEqual({ by: "u-ana", reason: "budget talks", at: now });
    other.pauseAll("u-bob", "");
    expect(other.pause).toEqual({ by: "u-bob", reason: "budget talks", at: now });
    expect(other.admitTurn(start)).toEqual({
      kind: "refused",
      text: "This bot is paused (budget talks). Nothing was started; send your message again later.",
    });
    expect(people.resumeAll("u-ana")).toBe(true);
    expect(other.admitTurn(start)).toEqual({ kind: "admitted" });
    expect(people.resumeAll("u-ana")).toBe(false);
    expect(decisions).toContainEqual({
      what: "turn",
      decision: "refused",
      reason: "paused",
      user: "u-ana",
      conversation: "poe/shop/c-1",
    });
  });

  test("C31: takes no further message while the relay is paused, and none beyond the limits", async () => {
    const rules = [rule()];
    const people = await open({ rules, limits: { turnsPerUserPerHour: 2, concurrentPerUser: 1 } });
    const further = { ...start, turn: "t-2", into: { turn: "t-1", user: "u-ana" } };
    people.admitTurn(start);
    people.pauseAll("", "");
    expect(people.admitTurn(further)).toMatchObject({ kind: "refused" });
    people.resumeAll("");
    // It runs in the turn that is counted, and is counted as another one for the hour.
    expect(people.admitTurn(further)).toMatchObject({ kind: "admitted" });
    expect(people.usageOf("u-ana")).toMatchObject({ turns: 2 });
    expect(people.admitTurn({ ...further, turn: "t-3" })).toMatchObject({ kind: "refused" });
    // The agent did not take it after all: it has a turn of its own, once.
    people.usage.end("t-1");
    expect(people.admitTurn({ ...start, turn: "t-2" })).toMatchObject({ kind: "admitted" });
    expect(people.usageOf("u-ana")).toMatchObject({ turns: 2 });
  });

  test("C7: takes nobody's message but its own person's, whose mode it has, and an operator's", async () => {
    const rules = [
      rule(),
      rule({ users: ["u-app"], role: "approver" }),
      rule({ users: ["u-op"], role: "operator" }),
    ];
    const people = await open({ rules });
    const further = { ...start, turn: "t-2", into: { turn: "t-1", user: "u-ana" } };
    expect(people.admitTurn({ ...further, user: "u-app" })).toMatchObject({ kind: "refused" });
    expect(people.admitTurn({ ...further, user: "u-op" })).toMatchObject({ kind: "admitted" });
  });

  test("does not start for who may not talk any more since the message came", async () => {
    expect((await open()).admitTurn(start)).toMatchObject({ kind: "refused" });
  });

  test("does not start in a workspace that is not open to the person", async () => {
    const people = await open({ rules: [rule({ workspaces: ["infra"] })] });
    expect(people.admitTurn(start)).toEqual({
      kind: "refused",
      text: "The project shop is not open to you here.",
    });
  });
});

test("which of an agent's commands are open depends on the rule", async () => {
  const people = await open({
    rules: [
      rule(),
      rule({ users: ["u-op"], role: "operator" }),
      rule({ users: ["u-few"], commands: ["review"] }),
    ],
  });
  expect(people.commandsOf(ana)).toEqual(["compact"]);
  expect(people.commandsOf({ ...ana, user: "u-op" })).toContain("skills");
  expect(people.commandsOf({ ...ana, user: "u-few" })).toEqual(["review"]);
  expect(people.commandsOf(eve)).toEqual([]);
});

test("a policy is one word for all tool calls, or one for each kind; an operator's goes before it", async () => {
  expect(policyFor("deny", "execute")).toBe("deny");
  const byKind = { execute: "ask", default: "allow" } as const;
  expect(policyFor(byKind, "execute")).toBe("ask");
  expect(policyFor(byKind, "edit")).toBe("allow");
  expect(policyFor({ edit: "allow" }, "a kind of its own")).toBe("ask");
  expect(policyFor({ edit: "allow" }, "constructor")).toBe("ask");
  const [people, other] = [await open(), await open()];
  people.setPolicy("shop", "deny", "u-ana");
  expect(other.policyOf("shop")).toBe("deny");
  people.setPolicy("shop", undefined, "u-ana");
  expect(other.policyOf("shop")).toBeUndefined();
});
