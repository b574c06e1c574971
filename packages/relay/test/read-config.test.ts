// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a configuration look like this
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../src/config/read-config.ts";
import { ConfigError } from "../src/errors.ts";
import { rejection, temporaryDirectory } from "./support.ts";

let root: string;
let file: string;

beforeEach(() => {
  root = temporaryDirectory();
  file = join(root, "relay.jsonc");
});

function write(text: string, mode = 0o600): void {
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** The problems without the name of the file. */
async function problemsOf(text: string, env = {}, mode = 0o600): Promise<readonly string[]> {
  write(text, mode);
  const error = await rejection(readConfig(file, env));
  if (!(error instanceof ConfigError)) throw error;
  return error.problems.map((problem) => problem.replace(`${file}:`, ""));
}

const KEY = "k".repeat(32);

test("an empty object is a configuration, and has every default", async () => {
  write("{}");
  const { config, secrets, fromEnvironment } = await readConfig(file, {});
  expect(config).toEqual({
    bots: {},
    agents: {},
    workspaces: {},
    access: [],
    limits: {},
    listen: {},
    log: { level: "info" },
    store: { durability: "process" },
    attachments: {
      maxInlineImageBytes: 3_145_728,
      maxBytes: 104_857_600,
      quotaBytes: 1_073_741_824,
      ttlDays: 30,
      hosts: [],
      imageHosts: [],
      send: { allow: true, deny: [], maxFiles: 20, maxBytes: 52_428_800 },
    },
    retention: { eventDays: 30, maxEvents: 100_000, viewDays: 180 },
    lifecycle: { drainSeconds: 8, handOverMinutes: 60 },
    agentTools: { enabled: true, setModel: false },
    notices: { allowPrivate: false },
  });
  expect({ secrets, fromEnvironment }).toEqual({ secrets: [], fromEnvironment: [] });
});

test("comments and trailing commas are fine, and each part has its defaults", async () => {
  write(`{
    // a comment
    "bots": { "shop": { "surface": "poe" /* another */, }, },
    "agents": { "claude": { "command": ["claude-code-acp"] } },
    "workspaces": {
      "scratch": { "isolation": "scratch" },
      "shop": { "isolation": "shared", "path": "/srv/shop", "permissions": "deny" }
    },
    "access": [{ "users": ["u-1"] }],
  }`);
  expect((await readConfig(file, {})).config).toMatchObject({
    bots: { shop: { surface: "poe", path: "/poe", accessKeys: [], defaults: {} } },
    agents: { claude: { command: ["claude-code-acp"], env: {}, envPass: [] } },
    workspaces: {
      scratch: { permissions: "ask" },
      shop: { path: "/srv/shop", permissions: "deny" },
    },
    access: [{ users: ["u-1"], role: "user" }],
  });
});

describe("a text that is no configuration", () => {
  test.each<[string, string]>([
    ["", "1: the file must hold an object in braces"],
    ["[]", "1: must be an object"],
    ["3", "1: must be an object"],
    ['{\n  "bots": {}\n  "agents": {}\n}', "3: a comma is missing before this"],
    ['{ "bots" {} }', "1: a colon is missing after the key"],
    ['{\n "bots": {', '2: a closing "}" is missing'],
    ["{ bots: {} }", "1: this is no JSON (comments and trailing commas are fine)"],
    ['{ "bots": }', "1: a value is missing here"],
    ["{} {}", "1: there is something behind the end of the object"],
    ['{ "log": { "level": "info } }', "1: a closing double quote is missing"],
    ['{\n  "access": [],\n  "access": []\n}', '3: the key "access" stands twice'],
    ['{ "bots": { "__proto__": {} } }', '1: the key "__proto__" is not allowed'],
    ['{ "listen": { "port": 1, "port": 2 } }', '1: the key "port" stands twice'],
  ])("%j is said with its line", async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });
});

describe("an unknown key names the nearest known one, with its path", () => {
  test.each<[string, string]>([
    ['{ "bot": {} }', 'bot: unknown key; did you mean "bots"?'],
    ['{ "Access": [] }', 'Access: unknown key; did you mean "access"?'],
    [
      '{ "bots": { "shop": { "surface": "poe", "acessKeys": [] } } }',
      'bots.shop.acessKeys: unknown key; did you mean "accessKeys"?',
    ],
    [
      '{ "bots": { "shop": { "surface": "poe", "defaults": { "hide_thinking": true } } } }',
      'bots.shop.defaults.hide_thinking: unknown key; did you mean "hideThinking"?',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "envpass": [] } } }',
      'agents.a.envpass: unknown key; did you mean "envPass"?',
    ],
    [
      '{ "bots": { "chat": { "surface": "slack", "bottoken": "x" } } }',
      'bots.chat.bottoken: unknown key; did you mean "botToken"?',
    ],
    [
      '{ "bots": { "chat": { "surface": "slack", "handle": "x" } } }',
      "bots.chat.handle: unknown key; known here: surface, botToken, appToken, signingSecret, path, apiUrl, agentView, filesToPartners, features, slashCommand, agent, workspace, introduction, busyPolicy, systemPrompt, systemPromptFile, authErrorHint, defaults",
    ],
    [
      '{ "workspaces": { "w": { "isolation": "shared", "path": "/x", "permission": "ask" } } }',
      'workspaces.w.permission: unknown key; did you mean "permissions"?',
    ],
    [
      '{ "access": [{ "users": [], "user": [] }] }',
      'access[0].user: unknown key; did you mean "users"?',
    ],
    ['{ "private": { "sock": "/x" } }', 'private.sock: unknown key; did you mean "socket"?'],
    ['{ "listen": { "adress": 1 } }', "listen.adress: unknown key; known here: host, port"],
    ['{ "log": { "constructor": 1 } }', "log.constructor: unknown key; known here: level"],
  ])("%s", async (text, problem) => {
    expect(await problemsOf(text)).toContain(`1: ${problem}`);
  });
});

describe("a wrong value is said with what is allowed", () => {
  test.each<[string, string]>([
    ['{ "bots": { "shop": {} } }', 'bots.shop.surface: must be one of "poe", "slack"'],
    [
      '{ "bots": { "shop": { "surface": "irc" } } }',
      'bots.shop.surface: must be one of "poe", "slack"',
    ],
    ['{ "bots": { "shop": 3 } }', "bots.shop: must be an object"],
    [
      '{ "bots": { "../x": { "surface": "poe" } } }',
      "bots.../x: a name has 1 to 64 letters, digits and . _ - and starts with a letter or digit",
    ],
    [
      '{ "bots": { "shop": { "surface": "poe", "path": "poe" } } }',
      'bots.shop.path: must be a path such as "/poe"',
    ],
    [
      '{ "bots": { "shop": { "surface": "poe", "path": "/healthz" } } }',
      'bots.shop.path: "/healthz" is taken; choose another, such as "/poe"',
    ],
    [
      '{ "bots": { "shop": { "surface": "poe", "defaults": { "thinking": "huge" } } } }',
      'bots.shop.defaults.thinking: must be one of "off", "minimal", "low", "medium", "high", "xhigh", "max"',
    ],
    [
      '{ "agents": { "a": { "command": "x y" } } }',
      'agents.a.command: must be a list such as ["my-agent", "--acp"]',
    ],
    [
      '{ "agents": { "a": { "command": [] } } }',
      'agents.a.command: must be a list such as ["my-agent", "--acp"]',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "env": { "A": 1 } } } }',
      "agents.a.env.A: must be a text",
    ],
    [
      '{ "workspaces": { "w": { "isolation": "worktree", "path": "/x", "base": "--all" } } }',
      'workspaces.w.base: must be a branch, tag or commit such as "origin/main"',
    ],
    [
      '{ "workspaces": { "w": { "path": "/x" } } }',
      'workspaces.w.isolation: must be "scratch" (an empty folder per conversation), "shared" (the directory at "path") or "worktree" (a branch of the repository at "path" per conversation)',
    ],
    [
      '{ "workspaces": { "w": { "isolation": "worktree", "path": "/x", "keepDays": 0 } } }',
      "workspaces.w.keepDays: must be a whole number of days, 1 or more",
    ],
    [
      '{ "bots": { "shop": { "surface": "poe" } }, "agents": { "a": { "command": ["x"], "wrapper": ["y"] } } }',
      'bots.shop: "a" cannot enter the state directory, where scratch workspaces are; choose a workspace with a "path"',
    ],
    [
      '{ "bots": { "shop": { "surface": "poe" } }, "agents": { "a": { "command": ["x"], "runAs": { "uid": 1, "gid": 1 } } }, "workspaces": { "w": { "isolation": "worktree", "path": "/x" } } }',
      'bots.shop: "a" cannot enter the state directory; give the workspace "w" a "directory" for its worktrees',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "runAs": { "uid": 1, "gid": -1 } } } }',
      "agents.a.runAs.gid: must be the number of a user or group",
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "runAs": { "uid": 1, "gid": 1 }, "wrapper": ["y"] } } }',
      'agents.a: must have "runAs" or "wrapper", not both: a wrapper may change the user itself',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "home": "mine" } } }',
      'agents.a.home: must be one of "shared", "per-user"',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "home": "per-user", "runAs": { "uid": 1, "gid": 1 } } } }',
      'agents.a.home: "per-user" does not go with "runAs": such an agent cannot enter the state directory, where the homes are',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "home": "per-user", "wrapper": ["y"] } } }',
      'agents.a.home: "per-user" does not go with "wrapper": such an agent cannot enter the state directory, where the homes are',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "home": "per-user", "env": { "HOME": "/x" } } } }',
      'agents.a.home: "per-user" does not go with a HOME in "env" or "envPass"; leave that out',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "maxProcesses": 3 } } }',
      'agents.a.maxProcesses: needs "home": "per-user"; one process serves everybody otherwise',
    ],
    [
      '{ "agents": { "a": { "command": ["x"], "cwdMap": { "/srv": "repo" } } } }',
      "agents.a.cwdMap./srv: must be an absolute path",
    ],
    [
      '{ "workspaces": { "w": { "isolation": "shared", "path": "x" } } }',
      "workspaces.w.path: must be an absolute path",
    ],
    [
      '{ "workspaces": { "w": { "isolation": "shared" } } }',
      "workspaces.w.path: must be an absolute path",
    ],
    ['{ "access": {} }', "access: must be a list of rules"],
    [
      '{ "access": [{ "users": "*" }] }',
      'access[0].users: must be a list of ids of people; ["*"] is everybody',
    ],
    [
      '{ "access": [{ "role": "user" }] }',
      'access[0].users: must be a list of ids of people; ["*"] is everybody',
    ],
    [
      '{ "access": [{ "users": [], "role": "admin" }] }',
      'access[0].role: must be one of "user", "approver", "operator"',
    ],
    ['{ "listen": { "port": "80" } }', "listen.port: must be a port, 0 to 65535"],
    ['{ "listen": { "port": 65536 } }', "listen.port: must be a port, 0 to 65535"],
    [
      '{ "attachments": { "hosts": ["https://x.example"] } }',
      'attachments.hosts[0]: must be a host such as "files.example.org", or "*.example.org" for all below one',
    ],
    [
      '{ "proxy": "proxy.example" }',
      'proxy: must be a proxy such as "http://proxy.example.org:3128"',
    ],
    [
      '{ "attachments": { "maxBytes": -1 } }',
      "attachments.maxBytes: must be a whole number of bytes",
    ],
    ['{ "private": {} }', 'private: must have either "socket", or "port" and "token"'],
    ['{ "private": { "port": 1 } }', 'private: must have either "socket", or "port" and "token"'],
    [
      '{ "private": { "port": 1, "token": "short" } }',
      "private.token: must have at least 16 characters",
    ],
    ['{ "private": { "host": "0.0.0.0" } }', 'private.host: must be one of "127.0.0.1", "::1"'],
    ['{ "stateDir": "state" }', "stateDir: must be an absolute path"],
    [
      '{ "log": { "level": "loud" } }',
      'log.level: must be one of "debug", "info", "warn", "error", "silent"',
    ],
  ])("%s", async (text, problem) => {
    expect(await problemsOf(text)).toContain(`1: ${problem}`);
  });
});

describe("a name that nothing bears", () => {
  test.each<[string, string]>([
    [
      '{ "bots": { "b": { "surface": "poe", "agent": "clade" } }, "agents": { "claude": { "command": ["x"] } } }',
      'bots.b.agent: "clade": unknown agent; did you mean "claude"?',
    ],
    [
      '{ "bots": { "b": { "surface": "poe", "workspace": "shop" } } }',
      'bots.b.workspace: "shop": unknown workspace; there is none',
    ],
    [
      '{ "bots": { "shop": { "surface": "poe" } }, "access": [{ "users": ["*"], "bots": ["shp"] }] }',
      'access[0].bots[0]: "shp": unknown bot; did you mean "shop"?',
    ],
    [
      '{ "bots": { "a": { "surface": "poe" }, "b": { "surface": "poe" } } }',
      'bots.b.path: "/poe" is the path of "a" too; give each bot its own',
    ],
  ])("%s", async (text, problem) => {
    expect(await problemsOf(text)).toEqual([`1: ${problem}`]);
  });
});

test("every problem is one line, in the order of the file, and the error's message is the first", async () => {
  write('{\n  "bots": { "a\\nb": {} },\n  "acess": [],\n  "listen": {\n    "port": -1\n  }\n}');
  const error = await rejection(readConfig(file, {}));
  if (!(error instanceof ConfigError)) throw error;
  expect(error.problems.map((problem) => Number(problem.split(":")[1]))).toEqual([2, 3, 5]);
  expect(error.message).toBe(`${error.problems[0]} (and 2 more)`);
});

describe("references to secrets", () => {
  test("C2: the secrets of a bot on Slack are confidential, and may be references", async () => {
    const slack = { surface: "slack", botToken: "${BOT}", appToken: "xapp-1", signingSecret: "s" };
    const text = JSON.stringify({ bots: { chat: slack } });
    write(text);
    const { config, secrets, fromEnvironment } = await readConfig(file, { BOT: "xoxb-1" });
    expect(config.bots["chat"]).toMatchObject({ botToken: "xoxb-1", appToken: "xapp-1" });
    expect(new Set(secrets)).toEqual(new Set(["s", "xapp-1", "xoxb-1"]));
    expect(fromEnvironment).toEqual(["bots.chat.botToken"]);
    expect(await problemsOf(text, { BOT: "xoxb-1" }, 0o644)).toEqual([
      expect.stringMatching(/bots\.chat\.appToken: a secret stands here/),
      expect.stringMatching(/bots\.chat\.signingSecret: a secret stands here/),
    ]);
  });

  const bot = (...keys: string[]) =>
    JSON.stringify({ bots: { shop: { surface: "poe", accessKeys: keys } } });

  test("${NAME} reads the environment that is passed in, ${file:…} a file without its last line break", async () => {
    const secretFile = join(root, "key");
    writeFileSync(secretFile, `${KEY}\r\n`);
    write(bot("${POE_KEY}", `\${file:${secretFile}}`), 0o644);
    const { config, secrets, fromEnvironment } = await readConfig(file, {
      POE_KEY: "e".repeat(32),
    });
    expect(config.bots["shop"]).toMatchObject({ accessKeys: ["e".repeat(32), KEY] });
    expect(new Set(secrets)).toEqual(new Set(["e".repeat(32), KEY]));
    expect(fromEnvironment).toEqual(["bots.shop.accessKeys[0]"]);
  });

  test("an agent's variables and the private token take references too", async () => {
    write(`{
      "agents": { "a": { "command": ["x"], "env": { "URL": "http://\${HOST}:1", "API_KEY": "literal-key", "MODE": "fast" } } },
      "private": { "port": 0, "token": "\${TOKEN}" }
    }`);
    const token = "t".repeat(20);
    const { config, secrets } = await readConfig(file, { HOST: "h.example", TOKEN: token });
    expect(config.agents["a"]?.env).toEqual({
      URL: "http://h.example:1",
      API_KEY: "literal-key",
      MODE: "fast",
    });
    expect(config.private?.token).toBe(token);
    // The part that a reference stands for is as secret as the whole.
    expect(new Set(secrets)).toEqual(
      new Set(["http://h.example:1", "h.example", "literal-key", token]),
    );
  });

  test("nothing else is expanded: an agent's command keeps its dollar signs", async () => {
    write('{ "agents": { "a": { "command": ["sh", "-c", "echo ${HOME}"] } } }');
    const { config } = await readConfig(file, { HOME: "/root" });
    expect(config.agents["a"]?.command).toEqual(["sh", "-c", "echo ${HOME}"]);
  });

  test.each<[string, RegExp]>([
    ["${POE_KEY}", /: the environment variable POE_KEY is not set; set it, or use/],
    ["${}", /names no variable/],
    ["${a b}", /names no variable/],
    ["${file:key}", /the file "key" needs an absolute path/],
    ["${file:}", /names no file, and needs an absolute path/],
    ["${file:/nowhere/key}", /: cannot read \/nowhere\/key \(ENOENT\); create it/],
    ["${file:/}", /: cannot read \/ \(EISDIR\)/],
    ["${file:/dev/null}", /: \/dev\/null is empty/],
  ])("%j says what is missing", async (reference, problem) => {
    const [only, ...more] = await problemsOf(bot(reference));
    expect(only).toMatch(/^1: bots\.shop\.accessKeys\[0\]: /);
    expect(only).toMatch(problem);
    expect(more).toEqual([]);
  });

  test("C3: a literal secret in a file that others can read is refused, and never shown", async () => {
    for (const mode of [0o640, 0o604, 0o644, 0o660]) {
      const problems = await problemsOf(bot(KEY), {}, mode);
      expect(problems).toEqual([
        expect.stringMatching(/^1: bots\.shop\.accessKeys\[0\]: .*chmod 600/),
      ]);
      expect(problems.join()).not.toContain(KEY);
    }
    write(bot(KEY), 0o600);
    expect((await readConfig(file, {})).secrets).toEqual([KEY]);
  });

  test("C3: so is a literal variable of an agent that is named like a secret, and no other", async () => {
    const env = (name: string) =>
      `{ "agents": { "a": { "command": ["x"], "env": { "${name}": "v" } } } }`;
    expect(await problemsOf(env("OPENAI_API_KEY"), {}, 0o644)).toHaveLength(1);
    write(env("NODE_ENV"), 0o644);
    await expect(readConfig(file, {})).resolves.toBeDefined();
  });
});

describe("a file that cannot be read", () => {
  test("is said with its name and the cure", async () => {
    expect(await rejection(readConfig(join(root, "nope"), {}))).toMatchObject({
      code: "config",
      message: `cannot read ${join(root, "nope")} (ENOENT); create it, or give another path with --config`,
    });
    expect(await rejection(readConfig(root, {}))).toMatchObject({
      message: expect.stringContaining("(EISDIR)"),
    });
  });

  test("is refused when everybody can write it", async () => {
    write("{}", 0o646);
    expect(await rejection(readConfig(file, {}))).toMatchObject({
      message: expect.stringMatching(/everybody can write this file.*chmod o-w/),
    });
  });

  test("is refused above 1 MiB", async () => {
    write(`{}${" ".repeat(1_048_576)}`);
    expect(await rejection(readConfig(file, {}))).toMatchObject({
      message: expect.stringContaining("too large"),
    });
  });
});

describe("notices.webhook", () => {
  test.each(["http://hooks.example.com/x", "hooks.example.com", "ftp://hooks.example.com"])(
    "%s is refused: notices go over https only",
    async (webhook) => {
      expect(await problemsOf(JSON.stringify({ notices: { webhook } }))).toEqual([
        '1: notices.webhook: must be a URL that begins with "https://"',
      ]);
    },
  );

  test("is a secret: it is never logged, and stands in no file that others can read", async () => {
    const webhook = "https://hooks.example.com/services/T1/B2/planted";
    const text = JSON.stringify({ notices: { webhook } });
    expect(await problemsOf(text, {}, 0o644)).toEqual([
      expect.stringMatching(/^1: notices\.webhook: a secret stands here and others can read/),
    ]);
    write(text);
    expect((await readConfig(file, {})).secrets).toContain(webhook);
  });
});
