import type { SlackBot } from "@acp-kit/relay";
import { FakeSlack, type FakeSlackOptions } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { checkSlackBot } from "../src/check-bot.ts";

const ALL = [
  "channels",
  "private-channels",
  "group-messages",
  "direct-messages",
  "files-in",
  "files-out",
  "signs",
  "reactions",
  "first-messages",
  "catch-up",
] as const satisfies SlackBot["features"];

async function found(
  options: FakeSlackOptions,
  changes: (slack: FakeSlack) => Partial<SlackBot> = () => ({}),
) {
  await using slack = await FakeSlack.start(options);
  const { botToken, appToken } = slack.app;
  const settings: SlackBot = {
    surface: "slack",
    ...{ botToken, apiUrl: slack.apiUrl, transport: { kind: "socket", appToken } },
    ...{ agentView: true, features: [...ALL], slashCommand: "/agent", defaults: {} },
    ...changes(slack),
  };
  const bot = { name: "shop", settings, agent: "demo", workspace: "scratch", defaults: {} };
  const findings = await checkSlackBot(bot as Parameters<typeof checkSlackBot>[0]);
  return findings.map(({ kind, text }) => `${kind}: ${text}`);
}

const scopes = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "mpim:read",
  "reactions:read",
  "reactions:write",
  "users:read",
];

test("tokens that are good are said to be, with whose they are", async () => {
  expect(await found({ app: { scopes } })).toEqual([
    "fine: is agent in acme (T0ACME)",
    "fine: may open sockets",
  ]);
});

test("each scope that is missing is named, and each that is not needed", async () => {
  const granted = [...scopes.filter((scope) => !/^(?:files|reactions):/.test(scope)), "team:read"];
  expect(await found({ app: { scopes: granted } })).toEqual([
    "fine: is agent in acme (T0ACME)",
    'problem: its app lacks files:read, files:write, reactions:read, reactions:write; add what "manifest" prints and install the app again, or leave out the features that need it',
    "warning: its app has scopes that it does not need: team:read",
    "fine: may open sockets",
  ]);
  const without = { features: ALL.filter((one) => !/^(?:files|sign|reac)/.test(one)) };
  expect(await found({ app: { scopes: granted } }, () => without)).not.toContainEqual(
    expect.stringMatching(/^problem/),
  );
});

test("an app that was made before it could look for all that was missed is told what it lacks for that", async () => {
  const before = scopes.filter((scope) => !/^(?:channels|groups|im|mpim):read$/.test(scope));
  expect(await found({ app: { scopes: before } })).toContainEqual(
    expect.stringMatching(
      /^problem: its app lacks channels:read, groups:read, im:read, mpim:read; /,
    ),
  );
  const without = { features: ALL.filter((one) => one !== "catch-up") };
  expect(await found({ app: { scopes: before } }, () => without)).toEqual([
    "fine: is agent in acme (T0ACME)",
    "fine: may open sockets",
  ]);
});

test("what Slack says of a token that it does not take is said with the cure", async () => {
  expect(await found({}, () => ({ botToken: "xoxb-other" }))).toContainEqual(
    "problem: Slack refuses its bot token (invalid_auth): it is no token of Slack's; copy it again",
  );
  expect(
    await found({}, ({ app }) => ({ transport: { kind: "socket", appToken: app.botToken } })),
  ).toContainEqual(
    "problem: Slack refuses its app token (not_allowed_token_type): it is a token of another kind",
  );
});

test("over HTTP no app token is asked for", async () => {
  const signingSecret = "0123456789abcdef".repeat(2);
  const transport = { kind: "http", signingSecret, path: "/slack/events" } as const;
  expect(await found({ app: { scopes } }, () => ({ transport }))).toHaveLength(1);
});

test.each(["abc", "0123456789ABCDEF".repeat(2), "0123456789abcdef".repeat(2).slice(1)])(
  "the signing secret %s is said not to look like Slack's",
  async (signingSecret) => {
    const transport = { kind: "http", signingSecret, path: "/slack/events" } as const;
    const said = await found({ app: { scopes } }, () => ({ transport }));
    expect(said[1]).toMatch(/^warning: its signing secret does not have the 32 hexadecimal digits/);
    expect(said.join()).not.toContain(signingSecret);
  },
);

test("where nobody answers, that is said of both tokens", async () => {
  const lost = () => ({ apiUrl: "http://127.0.0.1:9/api/" });
  expect(await found({}, lost)).toEqual([
    "problem: Slack could not be asked about its bot token; is it reachable?",
    "problem: Slack could not be asked about its app token; is it reachable?",
  ]);
});

test("no token is in what is said", async () => {
  const said = await found({}, () => ({ botToken: "xoxb-secret-token" }));
  expect(said.join()).not.toContain("secret");
});
