import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { formatStatus, type Status } from "../../src/commands/format-status.ts";
import { replies } from "../../src/commands/replies.ts";

const vectors = join(import.meta.dirname, "../vectors/command-replies");

const models = [
  { id: "anthropic/claude-opus-4-5-20251101", name: "Opus 4.5" },
  { id: "anthropic/claude-sonnet-4-5", name: "Sonnet 4.5" },
  { id: "openai/gpt-5", name: "openai/gpt-5" },
];
const modes = [
  { id: "default", name: "Always ask" },
  { id: "plan", name: "Plan" },
];
const many = Array.from({ length: 45 }, (_, at) => ({ id: `m/${at}`, name: `m/${at}` }));
const grants = [
  { subject: "pnpm test", toolKind: "execute", agent: "claude" },
  {
    subject: "git push --force-with-lease origin HEAD:refs/heads/topic/with-a-long-name",
    toolKind: "execute",
    agent: "claude",
  },
];
const files = [
  { path: "src/shop/cart.ts", added: 12, removed: 3 },
  { path: "test/shop/cart.test.ts", added: 28, removed: 0 },
];
const patch = "@@ -1 +1 @@\n-const a = 1;\n+const a = 2; // ```";

type Replies = typeof replies;
/** What each reply is shown with; by another title where one sample does not show all of it. */
type Samples = {
  readonly [Name in keyof Replies]: Readonly<Record<string, Parameters<Replies[Name]>>>;
};

const samples: Samples = {
  help: {
    "": [COMMANDS.filter(({ role }) => role === "user"), []],
    operator: [COMMANDS, ["compact", "session"]],
  },
  unknown: { "": ["modle", "model"], far: ["frobnicate", undefined] },
  misused: { "": ["stop"] },
  usage: { "": ["queue"] },
  notAllowed: { "": ["policy"] },
  notAvailable: { "": ["diff"] },
  notYours: { "": [] },
  failed: { "": ["7F3K"], because: ["7F3K", 'The workspace "shop" is not there any more.'] },
  choices: {
    "": ["model", models, "openai/gpt-5", undefined],
    chosen: ["mode", modes, "default", "plan"],
    many: ["model", many, undefined, undefined],
    none: ["model", [], undefined, undefined],
  },
  chosen: {
    "": [
      "model",
      "opus",
      { id: "anthropic/claude-opus-4-5-20251101", name: "Opus 4.5" },
      undefined,
    ],
    exact: ["mode", "plan", { id: "plan", name: "Plan" }, undefined],
    agent: ["agent", "gem", { id: "gemini", name: "gemini" }, undefined],
    project: [
      "project",
      "shop",
      { id: "shop", name: "shop" },
      "Your next message works in `shop`.",
    ],
  },
  chosenUnseen: { "": ["model", "opus"] },
  chosenDefault: { "": ["model"], agent: ["agent"] },
  ambiguous: { "": ["model", "claude", models.slice(0, 2)], many: ["model", "m", many] },
  noMatch: { "": ["model", "llama"] },
  notOpen: { "": ["model", "openai/gpt-5"] },
  fresh: { "": [] },
  freshAlready: { "": [] },
  nothingToRetry: { "": [] },
  nothingToShow: { "": [] },
  stillRuns: { "": [] },
  queue: {
    "": ["fix the login test", ["then the logout test", "and tell me what changed"]],
    running: ["fix the login test", []],
    idle: [undefined, []],
  },
  dropped: { "": [1], several: [3] },
  noSuchEntry: { "": ["queue", "7"] },
  grants: { "": [grants], none: [[]] },
  revoked: { "": [1], several: [2] },
  diff: {
    "": [{ files, isCut: false }, undefined],
    patch: [{ files: files.slice(0, 1), patch, isCut: true }, "cart.ts"],
    short: [{ files: files.slice(0, 1), patch, isCut: false }, undefined],
    secret: [{ files: files.slice(0, 1), isCut: false }, ".env"],
    none: [{ files: [], isCut: false }, undefined],
    "none-there": [{ files: [], isCut: false }, "cart.ts"],
  },
  files: { "": [{ files, isCut: false }], none: [{ files: [], isCut: false }] },
  noCheckout: { "": [] },
  notKnown: { "": [] },
  noFiles: { "": [] },
  cost: {
    "": [{ turns: 12, minutes: 47.6, tokens: 1_340_000, cost: 1.2 }],
    plain: [{ turns: 1, minutes: 0.8, tokens: 0, cost: 0 }],
    none: [{ turns: 0, minutes: 0, tokens: 0, cost: 0 }],
  },
  policy: { "": ["allow", 1_500_000], open: ["read-only", undefined] },
  noPolicy: { "": [] },
  paused: { "": [] },
  resumed: { "": [] },
  notPaused: { "": [] },
  loginMethods: {
    "": [
      [
        { id: "anthropic", name: "Claude subscription" },
        { id: "github", name: "GitHub" },
      ],
    ],
    none: [[]],
  },
  loginOpen: {
    "": [
      "https://example.com/authorize?client_id=1&state=abc",
      "Choose your work account.",
      600_000,
    ],
  },
  loginDone: { "": ["anthropic"] },
  loginFailed: { "": ["anthropic", "the code has expired"], silent: ["anthropic", ""] },
  loginHint: { "": [[{ id: "anthropic", name: "Claude subscription" }]], none: [[]] },
  loginStrange: { "": [] },
  loginCancelled: { "": [] },
  noLogin: { "": [] },
  loginElsewhere: { "": [] },
  loginNotYours: { "": [] },
  loginLapsed: { "": [] },
  loginUsed: { "": [] },
};

const shown = { by: "nobody", isNext: false } as const;
const status: Status = {
  agent: "claude",
  model: { ...shown, value: "opus-4.5" },
  mode: shown,
  project: "shop",
  waiting: 0,
  hasSession: false,
  grants: 0,
  relay: "poe-relay 0.1.0",
};
const statuses: Readonly<Record<string, Status>> = {
  status,
  "status.paused": { ...status, pause: "until the *release*" },
  "status.busy": {
    ...status,
    agentVersion: "claude-code-acp 0.9.1",
    model: { value: "sonnet-4.5", by: "you", isNext: true },
    mode: { value: "plan", by: "somebody", isNext: false },
    running: "fix the login test",
    waiting: 2,
    hasSession: true,
    contextUse: 0.381,
    grants: 2,
    policy: { policy: "allow", forMs: 1_500_000 },
    login: "waits",
    lastError: { ref: "7F3K", agoMs: 300_000 },
  },
};

const texts: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries(samples).flatMap(([name, cases]) =>
    Object.entries(cases).map(([title, args]): [string, string] => {
      const render = replies[name as keyof Replies] as (...args: readonly unknown[]) => string;
      return [title === "" ? name : `${name}.${title}`, render(...args)];
    }),
  ),
  ...Object.entries(statuses).map(([name, one]): [string, string] => [name, formatStatus(one)]),
];

test.each(texts)("%s reads as it was approved", async (name, text) => {
  await expect(`${text}\n`).toMatchFileSnapshot(join(vectors, `${name}.txt`));
});

test("every approved reply is still given", () => {
  expect(readdirSync(vectors).sort()).toEqual(texts.map(([name]) => `${name}.txt`).sort());
});

test.each(texts)("%s reads well on a phone", (_name, text) => {
  // What a line of a list holds in at most two lines of a small screen; sentences wrap by themselves.
  const lines = text.split("\n");
  const items = lines.filter((line) => /^(?:- |\d+\. )/.test(line));
  expect(items.filter((line) => line.length > 110)).toEqual([]);
  expect(lines.filter((line) => line.startsWith("|"))).toEqual([]);
  expect(text).not.toMatch(/\n{3}|\s$/);
  expect(text.length).toBeLessThan(2_500);
  // Poe's client reads two dashes and the name of a parameter as a parameter.
  expect(text).not.toMatch(/--(?:model|thinking|provider)/);
});

test("a long difference is not shown unasked, and never so long that nobody reads it", () => {
  const long = { files, patch: "+line\n".repeat(2_000), isCut: false };
  expect(replies.diff(long, undefined)).not.toContain("+line");
  expect(replies.diff(long, "cart.ts").length).toBeLessThan(6_500);
  expect(replies.diff(long, "cart.ts")).toContain("There is more.");
});

const hostile = "`x`\n# **boo** [a](http://evil)\u001b[31m\u202e<script> @everyone";

test("C28: what agents and people wrote cannot break out of a reply's line or carry control characters", () => {
  const told = [
    replies.unknown(hostile, undefined),
    replies.choices("model", [{ id: hostile, name: hostile }], undefined, undefined),
    replies.chosen("model", hostile, { id: hostile, name: "" }, undefined),
    replies.grants([{ subject: hostile, toolKind: hostile, agent: "" }]),
    replies.loginMethods([{ id: hostile, name: hostile }]),
    replies.loginHint([{ id: hostile, name: hostile }]),
    replies.loginOpen("https://a.example", hostile, 600_000),
    replies.loginFailed(hostile, hostile),
    formatStatus({ ...status, agent: hostile, agentVersion: hostile, relay: hostile }),
  ];
  for (const text of told) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).not.toMatch(/^#/m);
    expect(text.replace(/`[^`\n]*`/g, "")).not.toMatch(/[[\]<]|\*\*boo/);
  }
});
