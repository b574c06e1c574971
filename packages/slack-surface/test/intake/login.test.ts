import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askedIn, ended, IntakeRig, keyOf, until } from "./intake-rig.ts";

const CODE = "planted0secret7good";
const pasted = `http://localhost:1455/auth/callback?code=${CODE}&amp;state=s1`;
const access = [
  { users: ["U0ANA"], role: "operator" },
  { users: ["*"], role: "user" },
] as const;

/** Files below a directory that hold a text, in whatever part. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}

test("C25 what a login waits for is entered in a form, by the operator, and shown and kept nowhere", async () => {
  const rig = await IntakeRig.start({ isLogin: true, access });
  await rig.open();
  rig.bob.say("C0SHOP", "<@U0BOT> !login acme");
  await until(() => rig.bob.see("C0SHOP").includes("not open to you"));
  rig.ana.say("C0SHOP", "<@U0BOT> !login acme");
  await until(() => rig.ana.buttons("C0SHOP").length > 0);
  expect(rig.bob.see("C0SHOP")).not.toContain("login.example");
  await rig.ana.click("C0SHOP", "Enter the address");
  expect(rig.ana.views).toHaveLength(1);
  const enter = (value: string) =>
    rig.ana.submit({ "login-input": { "login-input": { type: "plain_text_input", value } } });
  await enter("no idea");
  expect(rig.ana.views).toHaveLength(1);
  await enter(pasted.replace("&amp;", "&"));
  expect(rig.ana.views).toEqual([]);
  await until(() => rig.ana.see("C0SHOP").includes("Logged in"));
  expect(rig.bob.see("C0SHOP")).not.toContain("Logged in");
  expect(rig.slack.calls.some(({ args }) => JSON.stringify(args).includes(CODE))).toBe(false);
  expect(filesWith(rig.directory, CODE)).toEqual([]);
});

test("C25 what somebody pastes into a thread of its own reaches the login and no agent, and is to be deleted", async () => {
  const rig = await IntakeRig.start({ isLogin: true, access });
  const { router } = await rig.open();
  rig.ana.say("D0ANA", "!login acme");
  await until(() => rig.ana.buttons("D0ANA").length > 0);
  const ts = rig.ana.say("D0ANA", `<${pasted}>`);
  await until(() => rig.ana.see("D0ANA").includes("Logged in"));
  expect(rig.ana.see("D0ANA")).toContain("Delete your message");
  rig.ana.edit("D0ANA", ts, `look: <${pasted}>`);
  await until(() => rig.decisions.includes("drop edit-of-command"));
  expect(await askedIn(router, keyOf("D0ANA", ts))).toEqual([]);
  expect(filesWith(rig.directory, CODE)).toEqual([]);
});

test("C25 a message that was edited into what a login waits for is not run again", async () => {
  const rig = await IntakeRig.start({ isLogin: true, access });
  const { router } = await rig.open();
  const ts = rig.ana.say("D0ANA", "hello");
  const conversation = keyOf("D0ANA", ts);
  await ended(router, conversation);
  rig.ana.edit("D0ANA", ts, "hello again");
  await until(() => rig.ana.buttons("D0ANA").some(({ text }) => text === "Run again"));
  const [button] = rig.ana.buttons("D0ANA");
  if (!button) throw new Error("There is no button.");
  rig.ana.say("D0ANA", "!login acme");
  await until(() => rig.ana.buttons("D0ANA").length > 1);
  rig.ana.edit("D0ANA", ts, `<${pasted}>`);
  await until(() => rig.decisions.includes("drop edited-to-command"));
  await rig.ana.click("D0ANA", button);
  expect(rig.decisions.at(-1)).toBe("drop edited-to-command");
  expect(filesWith(rig.directory, CODE)).toEqual([]);
});
