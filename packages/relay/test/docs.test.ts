import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseArgv } from "../src/cli/parse-argv.ts";
import { runRelay } from "../src/cli/run-relay.ts";
import { readConfig } from "../src/config/read-config.ts";
import { configSchema } from "../src/config/schema.ts";
import { createSettings } from "../src/settings.ts";
import { temporaryDirectory } from "./support.ts";
import { testApp } from "./test-app.ts";

const docs = join(import.meta.dirname, "../../../docs");
const page = readFileSync(join(docs, "configuration.md"), "utf8");
const operating = readFileSync(join(docs, "operating.md"), "utf8");
const [, example = ""] = /^```jsonc\n([\s\S]*?)^```$/m.exec(page) ?? [];

test("the configuration in the documentation is valid and complete enough to start from", async () => {
  const root = temporaryDirectory();
  const secrets = join(root, "secrets");
  mkdirSync(secrets);
  for (const [name, length] of [
    ["shop-key", 32],
    ["anthropic-key", 40],
  ] as const) {
    writeFileSync(join(secrets, name), `${"x".repeat(length)}\n`);
  }
  writeFileSync(join(secrets, "notices-webhook"), "https://hooks.example.com/x\n");
  writeFileSync(join(secrets, "shop-slack-bot-token"), "xoxb-1");
  writeFileSync(join(secrets, "shop-slack-app-token"), "xapp-1");
  const file = join(root, "relay.jsonc");
  writeFileSync(file, example.replaceAll("/run/secrets", secrets));
  const loaded = await readConfig(file, {});
  const settings = createSettings({
    app: testApp,
    flags: { instance: "default" },
    loaded: { ...loaded, file },
    createKey: () => "",
  });
  expect(settings.bots).toMatchObject([{ name: "shop", agent: "claude", workspace: "shop" }]);
  const onSlack = createSettings({
    app: { ...testApp, surfaceName: "slack" },
    flags: { instance: "default" },
    loaded: { ...loaded, file },
    createKey: () => "",
  });
  expect(onSlack.bots).toMatchObject([{ name: "shop-slack", agent: "claude", workspace: "shop" }]);
  expect(loaded.config.bots["shop"]?.defaults.thinking).toBe("medium");
});

/** Every key that a configuration may have, by its own name. */
function keysOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, value]) => [key, ...keysOf(value)]);
  }
  if (schema instanceof z.ZodRecord) return keysOf(schema.valueType);
  if (schema instanceof z.ZodArray) return keysOf(schema.element);
  if (schema instanceof z.ZodDiscriminatedUnion) return schema.options.flatMap(keysOf);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodExactOptional) {
    return keysOf(schema.unwrap());
  }
  return [];
}

test("every key of the schema is in the documentation's example", () => {
  const keys = new Set(keysOf(configSchema));
  expect(keys.size).toBeGreaterThan(30);
  const missing = [...keys].filter((key) => !example.includes(`"${key}"`));
  expect(missing).toEqual([]);
});

test("every flag of start is in the documentation", async () => {
  const stdout = new PassThrough({ encoding: "utf8" });
  await runRelay(testApp, ["start", "--help"], {}, { stdout, stderr: new PassThrough() });
  const flags = [...String(stdout.read()).matchAll(/^ +(--[a-z-]+)/gm)].map((match) => match[1]);
  expect(flags).toHaveLength(10);
  expect(flags.filter((flag) => !page.includes(flag ?? ""))).toEqual([]);
});

test("every command of the page about operating is one, and each command is on the page", () => {
  const commands = [...operating.matchAll(/^(?:ExecStart=\/usr\/bin\/)?poe-relay (.+)$/gm)];
  const asked = commands.map(([, args = ""]) => parseArgv(testApp, args.split(" ")));
  expect(asked.filter(({ kind }) => kind === "print")).toEqual([]);
  expect(new Set(asked.map(({ kind }) => kind))).toEqual(
    new Set([
      ...["start", "backup", "restore", "list", "worktrees", "show", "export", "erase"],
      ...["allow", "people", "remove", "usage", "pause", "resume"],
      ...["explain", "audit-verify", "audit-list", "check"],
    ]),
  );
});

test("what the page about operating says of log lines is what the sources log", () => {
  const files = [
    "cli/primary.ts",
    "cli/generation.ts",
    "find-risks.ts",
    "log-report.ts",
    "start-relay.ts",
  ];
  const sources = [...files, "journal/journal.ts"]
    .map((name) => readFileSync(join(import.meta.dirname, "../src", name), "utf8"))
    .join("");
  const [, section = ""] = operating.split("## Logs");
  const quoted = [...section.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replace(/… ?|, $/g, "")),
  );
  expect(quoted.length).toBeGreaterThan(5);
  const elsewhere = [
    "a request had no valid access key",
    "a file was not uploaded",
    "a response has ended",
    "Poe shows none of the bot's options",
    "Poe could not be told of the bot's settings",
  ];
  expect(quoted.filter((text) => !sources.includes(text) && !elsewhere.includes(text))).toEqual([]);
});
