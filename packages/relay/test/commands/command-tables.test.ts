import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandTables } from "../../src/commands/command-tables.ts";
import { LoginBook, MAX_SECRETS } from "../../src/commands/login-book.ts";
import { PolicyBook } from "../../src/commands/policy-book.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { temporaryDirectory } from "../support.ts";

async function open() {
  const directory = temporaryDirectory();
  const db = await openRelayDb(directory, [commandTables]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  return { directory, db, logins: new LoginBook(db), policies: new PolicyBook(db) };
}

const login = (conversation: string, user: string) => ({
  ...{ conversation, user, agent: "a", method: "m", id: "l", redirect: "", expiresAt: 10 },
});

test("an erased person has no login under way, and the policy that they set is nobody's", async () => {
  const { db, logins, policies } = await open();
  logins.begin(login("c-1", "u-ana"));
  logins.begin(login("c-2", "u-bob"));
  policies.set("c-1", { policy: "deny", by: "u-ana" });
  expect(commandTables.erasePerson(db, "u-ana")).toBe(2);
  expect(logins.pending("c-1", 0)).toBeUndefined();
  expect(logins.pending("c-2", 0)?.user).toBe("u-bob");
  expect(policies.get("c-1", 0)).toEqual({ policy: "deny", by: "" });
});

test("C25: of a pasted login only a hash is kept, and an erased conversation leaves it, so that nobody is told of it later", async () => {
  const { directory, db, logins, policies } = await open();
  logins.remember("https://a.example/?code=planted");
  policies.set("c-1", { policy: "deny", by: "u-ana" });
  logins.begin(login("c-1", "u-ana"));
  expect(commandTables.eraseConversation?.(db, "c-1")).toBe(2);
  expect(policies.get("c-1", 0)).toBeUndefined();
  expect(logins.isSecret("https://a.example/?code=planted")).toBe(true);
  for (const name of readdirSync(directory)) {
    expect(readFileSync(join(directory, name)).includes("planted")).toBe(false);
  }
});

test("of too many hashes the oldest are forgotten", async () => {
  const { db, logins } = await open();
  logins.remember("first");
  logins.remember("second");
  // As if as many had come in between.
  db.run("UPDATE commands_secrets SET id = id + ? WHERE id = 2", MAX_SECRETS - 1);
  logins.remember("third");
  expect(["first", "second", "third"].map((secret) => logins.isSecret(secret))).toEqual([
    false,
    true,
    true,
  ]);
});
