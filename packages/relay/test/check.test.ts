// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a configuration look like this
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import type { RelayApp } from "../src/app.ts";
import { runRelay } from "../src/cli/run-relay.ts";
import { RelayError } from "../src/errors.ts";
import { KEY, relayRoot } from "./relay-run.ts";
import { testApp } from "./test-app.ts";

let root: string;
let file: string;

beforeEach(() => {
  root = relayRoot();
  file = join(root, "relay.jsonc");
});

async function run(argv: readonly string[], changes: Partial<RelayApp> = {}, env = {}) {
  const streams = {
    stdout: new PassThrough({ encoding: "utf8" }),
    stderr: new PassThrough({ encoding: "utf8" }),
  };
  const home = join(root, "home");
  const code = await runRelay(
    { ...testApp, ...changes },
    argv,
    { PATH: process.env["PATH"], HOME: home, ...env },
    streams,
  );
  const read = (stream: PassThrough) => String(stream.read() ?? "");
  return { code, out: read(streams.stdout), err: read(streams.stderr) };
}

function write(config: object): void {
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
}

const bots = { shop: { surface: "poe", accessKeys: [KEY] } };

test("a configuration that would do is shown with what to think of, and without its keys", async () => {
  const repository = join(root, "repository");
  mkdirSync(repository);
  write({
    bots,
    agents: { shell: { command: ["sh"] } },
    workspaces: { repo: { isolation: "shared", path: repository } },
    access: [{ users: ["*"] }],
  });
  const { code, out } = await run(["check", "--config", file]);
  expect(out.split("\n")).toEqual([
    "poe-relay 9.8.7 would serve:",
    "  /poe  bot shop, agent shell, workspace repo",
    expect.stringMatching(/^fine {5}agent shell is \/\S*\/sh$/),
    "warning  bot shop: everybody may talk to this bot",
    expect.stringMatching(/^warning {2}agent shell: it runs as the user of the relay: /),
    "fine     workspace repo can be used",
    "",
  ]);
  expect(code).toBe(0);
});

test("whatever is not there is a problem, and all of it is said at once", async () => {
  write({
    bots,
    agents: { claude: { command: ["no-such-agent"] } },
    workspaces: { repo: { isolation: "shared", path: join(root, "nope") } },
  });
  const { code, out } = await run(["check", "--config", file]);
  expect(out).toMatch(/^problem {2}.*no-such-agent/m);
  expect(out).toMatch(/^problem {2}.*repo.* is not there/m);
  expect(code).toBe(1);
});

test("a configuration that cannot be read is said as at the start", async () => {
  writeFileSync(file, '{ "bot": {} }');
  const { code, out, err } = await run(["check", "--config", file]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain('bot: unknown key; did you mean "bots"?');
});

test("the agent and the workspace of a start are looked at, whatever the configuration names", async () => {
  const repository = join(root, "repository");
  mkdirSync(repository);
  write({ bots });
  const flags = ["--agent", "sh --acp", "--workspace", repository];
  const { code, out } = await run(["check", "--config", file, ...flags]);
  expect(out).toContain("  /poe  bot shop, agent agent, workspace repository\n");
  expect(out).toMatch(/^fine {5}agent agent is \/\S*\/sh$/m);
  expect(out).toContain("fine     workspace repository can be used\n");
  expect(code).toBe(0);
  const missing = ["--agent", "no-such-agent", "--workspace", join(root, "nope")];
  for (const config of [["--config", file], []]) {
    const { code, out } = await run(["check", ...config, ...missing]);
    expect(out).toMatch(/^problem {2}.*no-such-agent/m);
    expect(out).toMatch(/^problem {2}.*nope.* is not there/m);
    expect(code).toBe(1);
  }
});

test("the platform is asked about each bot of the app's, unless that is not wanted", async () => {
  write({ bots: { ...bots, chat: { surface: "slack" } } });
  const asked: string[] = [];
  const checkBot: NonNullable<RelayApp["checkBot"]> = async ({ name }) => {
    asked.push(name);
    return [{ kind: "problem", text: "nobody\u001b[31m knows it" }];
  };
  const { code, out } = await run(["check", "--config", file], { checkBot });
  expect(out).toMatch(/^problem {2}bot shop: nobody.* knows it$/m);
  expect(out).not.toContain("\u001b");
  expect([code, asked]).toEqual([1, ["shop"]]);
  expect(await run(["check", "--offline", "--config", file], { checkBot })).toMatchObject({
    code: 0,
  });
  expect(asked).toHaveLength(1);
});

test("without anything configured there is the demo, or on Slack nothing", async () => {
  expect(await run(["check"])).toEqual({
    ...{ code: 0, err: "" },
    out: 'Nothing is configured: "poe-relay start" would run the demo.\n',
  });
  const slack = { name: "slack-relay", surfaceName: "slack" } as const;
  const { code, err } = await run(["check"], slack);
  expect(code).toBe(1);
  expect(err).toMatch(/^slack-relay: no Slack app is configured; .*\n$/);
});

test("an app's own command gets the bots that are configured, without their secrets, and its options", async () => {
  write({ bots: { ...bots, chat: { surface: "slack", botToken: "${NOT_SET}" } } });
  const show: NonNullable<RelayApp["commands"]>[number] = {
    name: "show",
    description: "Show the bots.",
    options: [["--word-of <text>", "a word"]],
    run: (given, options) => `${JSON.stringify([given, options])}\n`,
  };
  const slack = { surfaceName: "slack", commands: [show] } as const;
  const { code, out } = await run(["show", "--word-of", "x", "--config", file], slack);
  const chat = ["chat", expect.objectContaining({ surface: "slack", botToken: "${NOT_SET}" })];
  expect([code, JSON.parse(out)]).toEqual([0, [[chat], { wordOf: "x" }]]);
  expect((await run(["--help"], slack)).out).toMatch(/^ {2}show .* Show the bots\.$/m);
  expect(await run(["show", "--nope"], slack)).toMatchObject({ code: 1 });
  expect(await run(["show"])).toMatchObject({ code: 1, out: "" });
  const fails = {
    ...show,
    run: () => {
      throw new RelayError("it cannot", { code: "config" });
    },
  };
  expect(await run(["show"], { ...slack, commands: [fails] })).toEqual({
    ...{ code: 1, out: "", err: "poe-relay: it cannot\n" },
  });
});
