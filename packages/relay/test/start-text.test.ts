import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RelayApp } from "../src/app.ts";
import { formatAddress, formatStartText } from "../src/cli/start-text.ts";
import { readConfig } from "../src/config/read-config.ts";
import { createAccess } from "../src/people/access.ts";
import type { Settings } from "../src/settings.ts";
import { createSettings } from "../src/settings.ts";
import { temporaryDirectory } from "./support.ts";

const KEY = "K".repeat(32);

const app: RelayApp = {
  name: "poe-relay",
  version: "1.0.0",
  description: "",
  surfaceName: "poe",
  demoAgent: ["node"],
  createSurface: () => {
    throw new Error("not here");
  },
};

const relay = {
  publicAddress: { kind: "tcp", host: "127.0.0.1", port: 8787 },
  privateAddress: { kind: "socket", path: "/state/private.sock" },
  stateDir: "/state",
} as const;
const unowned = { ...relay, pairing: "482-913" };

function keyed(changes: Partial<Settings> = {}): Settings {
  const created = createSettings({
    app,
    flags: { instance: "default" },
    env: { POE_ACCESS_KEY: { value: KEY, setting: "POE_ACCESS_KEY", source: "environment" } },
    createKey: () => KEY,
  });
  return { ...created, ...changes };
}

test("without a rule the configuration that is printed admits whom one writes into it", async () => {
  const text = formatStartText(app, keyed(), unowned);
  expect(text).toContain("Nobody may talk to it yet.");
  const [example] = /^\{.*\}$/m.exec(text) ?? [];
  const file = join(temporaryDirectory(), "relay.jsonc");
  writeFileSync(file, (example ?? "").replace("THEIR-ID", "u-ana"));
  const { config } = await readConfig(file, {});
  const access = createAccess({ rules: config.access, app: app.name });
  expect(access.roleOf({ surface: "poe", bot: "poe", user: "u-ana" })).toBe("operator");
  expect(access.roleOf({ surface: "poe", bot: "poe", user: "u-eve" })).toBeUndefined();
});

test("with a configuration that has no rule, the missing part is printed", async () => {
  const text = formatStartText(app, keyed({ configFile: "/etc/relay.jsonc" }), unowned);
  expect(text).toContain("add this to /etc/relay.jsonc");
  const [part] = /^ {2}"access".*$/m.exec(text) ?? [];
  expect(() => JSON.parse(`{${part}}`)).not.toThrow();
});

test("with rules the one to put before them is printed, and of an open relay nobody is said to be turned away", () => {
  const configFile = "/etc/relay.jsonc";
  const textOf = (rule: Settings["access"][number]) =>
    formatStartText(app, keyed({ configFile, access: [rule] }), unowned);
  const closed = textOf({ users: ["u"], role: "user" });
  expect(closed).toContain('put this rule first in "access" of /etc/relay.jsonc');
  expect(closed).toContain("is told their id");
  const open = textOf({ users: ["*"], role: "user" });
  expect(open).toContain('put this rule first in "access" of /etc/relay.jsonc');
  expect(open).not.toContain("is told their id");
  for (const text of [closed, open]) {
    const [rule = ""] = /^ {2}\{ "users".*$/m.exec(text) ?? [];
    const access = [JSON.parse(rule.replace("THEIR-ID", "u-ana")), { users: ["*"], role: "user" }];
    const { roleOf } = createAccess({ rules: access, app: app.name });
    expect(roleOf({ surface: "poe", bot: "poe", user: "u-ana" })).toBe("operator");
  }
});

test("C10: a relay that is open to everybody says so, and one with rules prints no advice", () => {
  const open = formatStartText(app, keyed({ access: [{ users: ["*"], role: "user" }] }), relay);
  expect(open).toContain("open to everybody");
  const closed = formatStartText(app, keyed({ access: [{ users: ["u"], role: "user" }] }), relay);
  expect(closed).not.toMatch(/everybody|Nobody/);
});

test("C10: without an operator the code that makes one is printed, and with one nothing is", () => {
  const rules = [{ users: ["u"], role: "user" }] as const;
  expect(formatStartText(app, keyed({ access: rules }), unowned)).toMatch(
    /It has no operator yet\..*10 minutes:\n\n {2}!pair 482-913\n/,
  );
  expect(formatStartText(app, keyed({ access: rules }), relay)).not.toContain("pair");
});

test("a configured key is never printed", () => {
  expect(formatStartText(app, keyed(), relay)).not.toContain(KEY);
});

test.each([
  [{ kind: "tcp", host: "127.0.0.1", port: 1 } as const, "http://127.0.0.1:1"],
  [{ kind: "tcp", host: "::1", port: 1 } as const, "http://[::1]:1"],
  [{ kind: "socket", path: "/x/y.sock" } as const, "/x/y.sock"],
])("%j is written as %s", (address, text) => {
  expect(formatAddress(address)).toBe(text);
});
