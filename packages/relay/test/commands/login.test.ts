import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { LOGIN_WAIT_MS } from "../../src/commands/login-book.ts";
import { parseLoginInput } from "../../src/commands/parse-login-input.ts";
import { CommandsRig } from "./commands-rig.ts";

vi.setConfig({ testTimeout: 60_000 });

const REDIRECT = "http://localhost:1455/auth/callback";
const operator = { role: "operator" } as const;
const CODE = "planted0secret7good";
const pasted = `${REDIRECT}?code=${CODE}&state=s1`;

/** What lies below a directory, in whatever part of a file. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}

test.each([
  ["the address that the login leads to", `${REDIRECT}?code=abc&state=x`, true],
  ["it without a query", REDIRECT, true],
  ["it in pointed brackets, with words around it", `here you are: <${REDIRECT}?x=1>`, true],
  ["an address with a code at another host", "https://a.example/cb?code=123", true],
  ["an address without its beginning", "localhost:1455/auth/callback?state=1&code=2", true],
  ["a long code that stands alone", "ac7Kd03-long_Code.with~parts#9", true],
  ["a code in two groups", "WXYZ-1234", true],
  ["a question", "which model is this?", false],
  ["an ordinary address", "https://a.example/docs/login", false],
  ["a long word", "internationalization-and-localization", false],
  ["a short word with a number", "issue-1234", false],
  ["a long code among words", "see ac7Kd03-long_Code.with~parts#9 there", false],
  ["nothing", "", false],
])("a login takes what it waits for and nothing else: %s", (_title, text, expected) => {
  expect(parseLoginInput(text, REDIRECT) !== undefined).toBe(expected);
});

test("logins are listed without those that need a terminal, and found by a part of their name", async () => {
  const rig = await CommandsRig.open();
  const listed = await rig.say("!login", operator);
  expect(listed).toContain("`acme` · Acme account");
  expect(listed).not.toContain("terminal");
  expect(await rig.say("!login Acme account", operator)).toContain(
    "https://login.example/authorize",
  );
});

test("C25: only an operator logs an agent in that everybody shares", async () => {
  const rig = await CommandsRig.open();
  for (const role of ["user", "approver"] as const) {
    expect(await rig.say("!login acme", { role })).toBe("`!login` is not open to you here.");
  }
  const own = rig.host.agents.get("claude");
  const personal = await CommandsRig.open({ host: { personalAgent: async () => own } });
  expect(await personal.say("!login acme", { role: "user" })).toContain("login.example");
});

test("C25: what was pasted is in no log, no file of the state and no prompt, now or when the transcript comes again", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  const message = rig.commands.recognise({
    ...{ conversation: "poe/shop/c-1", bot: "shop", user: "u-ana", role: "operator", key: "paste" },
    ...{ text: pasted, at: Date.now(), query: [] },
  });
  expect(message?.isSecret).toBe(true);
  expect(await message?.run()).toEqual({ kind: "reply", text: "Logged in (`acme`)." });
  expect(rig.commands.isSecret(pasted)).toBe(true);
  expect(rig.commands.isSecret(`I sent ${pasted}, did you see it?`)).toBe(true);
  expect(rig.commands.isSecret(`${REDIRECT}?code=other`)).toBe(false);
  // Pasted once more, it is not used and not passed on.
  expect(await rig.say(pasted, operator)).toContain("used already");
  await rig.run("hello");
  expect(rig.prompted()).toContain("hello");
  expect(rig.prompted()).not.toContain(CODE);
  expect(rig.lines.join("")).toContain("an agent was logged in");
  expect(rig.lines.join("")).not.toContain(CODE);
  expect(filesWith(rig.stateDir, CODE)).toEqual([]);
});

test("C25: an agent's refusal that repeats what was pasted is told without it", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  const answer = await rig.say(`${REDIRECT}?code=planted0secret8wrong`, operator);
  expect(answer).toBe("The login failed. `!login acme` starts again.");
  expect(rig.lines.join("")).not.toContain("planted0secret8wrong");
  expect(await rig.say("!login cancel", operator)).toBe("No login is under way.");
});

test("while a login waits, commands and ordinary messages are what they always are", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  expect(await rig.say("!status", operator)).toContain("login: waits for you");
  expect(await rig.say("!model", operator)).toContain("model");
  expect(await rig.outcome("how far are you?", operator)).toBeUndefined();
  expect(await rig.outcome("!stop", operator)).toBeUndefined();
  expect(
    await rig.outcome("see https://docs.example/?state=open", { user: "u-bob" }),
  ).toBeUndefined();
  expect(await rig.say("!login acme", { user: "u-bob", role: "operator" })).toContain(
    "Somebody else",
  );
  expect(await rig.say("!login cancel", operator)).toBe("The login was given up.");
  expect(await rig.outcome(pasted, operator)).toBeUndefined();
});

test("C25: what another person pastes for a login is kept from the agent too, and does not finish it", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  const theirs = `${REDIRECT}?code=bobs0planted1good`;
  const message = rig.commands.recognise({
    ...{ conversation: "poe/shop/c-1", bot: "shop", user: "u-bob", role: "user", key: "paste" },
    ...{ text: theirs, at: Date.now(), query: [] },
  });
  expect(message?.isSecret).toBe(true);
  expect(await message?.run()).toMatchObject({ isRefused: true });
  expect(rig.commands.isSecret(theirs)).toBe(true);
  expect(filesWith(rig.stateDir, "bobs0planted1good")).toEqual([]);
  expect(await rig.say(pasted, operator)).toBe("Logged in (`acme`).");
});

test("C25: a login lapses after ten minutes; what is pasted then is kept away from the agent all the same", async () => {
  const rig = await CommandsRig.open();
  const at = Date.now();
  await rig.say("!login acme", { ...operator, at });
  const late = { ...operator, at: at + LOGIN_WAIT_MS };
  expect(await rig.say("!status", late)).not.toContain("login:");
  expect(await rig.say(pasted, late)).toContain("no longer waiting");
  expect(rig.commands.isSecret(pasted)).toBe(true);
});

test("C25: a relay that has been restarted meanwhile takes the paste, and says that the login is lost", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  // The same database, another agent process.
  const { logins } = rig.host;
  const other = await CommandsRig.open({ host: { logins } });
  expect(await other.say(pasted, operator)).toBe(
    "The login failed: This login is not known. `!login acme` starts again.",
  );
  expect(other.commands.isSecret(pasted)).toBe(true);
});

test("C25: what its person pastes into another conversation finishes a login, and is kept from the agent there", async () => {
  const rig = await CommandsRig.open();
  await rig.say("!login acme", operator);
  const elsewhere = (text: string) =>
    rig.commands.recognise({
      ...{ conversation: "poe/shop/c-2", bot: "shop", user: "u-ana", role: "operator", key: text },
      ...{ text, at: Date.now(), query: [] },
    });
  expect(elsewhere("see https://docs.example/cb?code=123")).toBeUndefined();
  const message = elsewhere(pasted);
  expect(message?.isSecret).toBe(true);
  expect(await message?.run()).toEqual({ kind: "reply", text: "Logged in (`acme`)." });
  expect(await rig.say("!login cancel", operator)).toBe("No login is under way.");
});
