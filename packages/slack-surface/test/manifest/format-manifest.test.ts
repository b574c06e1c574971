import { type BotConfig, ConfigError, type SlackBotConfig } from "@acp-kit/relay";
import { expect, test } from "vitest";
import { formatManifest } from "../../src/manifest/format-manifest.ts";

const bot: SlackBotConfig = {
  surface: "slack",
  ...{ path: "/slack/events", agentView: true, defaults: {} },
  features: ["channels", "direct-messages", "files-in"],
};

function manifestOf(
  bots: Record<string, BotConfig>,
  options: Readonly<Partial<Record<string, string>>> = {},
) {
  return JSON.parse(formatManifest(Object.entries(bots), options));
}

test("C36: the manifest of a bot has exactly the scopes of the features that it is configured for", () => {
  expect(manifestOf({ shop: bot }).oauth_config.scopes.bot).toEqual([
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "chat:write",
    "files:read",
    "im:history",
    "users:read",
  ]);
  const plain = { ...bot, agentView: false, features: [] };
  expect(manifestOf({ shop: plain }).oauth_config.scopes.bot).toEqual(["chat:write", "users:read"]);
  expect(manifestOf({ shop: { ...plain, slashCommand: "/shop" } })).toMatchObject({
    features: { slash_commands: [{ command: "/shop" }] },
    oauth_config: { scopes: { bot: ["chat:write", "commands", "users:read"] } },
  });
});

test("it is called as the bot is, or as one says, and uses sockets without an address", () => {
  expect(manifestOf({ shop: bot })).toMatchObject({
    display_information: { name: "shop" },
    settings: { socket_mode_enabled: true },
  });
  expect(manifestOf({ shop: bot }, { name: "Shop Coder" })).toMatchObject({
    display_information: { name: "Shop Coder" },
  });
});

test.each([
  ["https://relay.example.org", "https://relay.example.org/slack/events"],
  ["https://relay.example.org/", "https://relay.example.org/slack/events"],
  ["https://relay.example.org:8443/a", "https://relay.example.org:8443/a"],
])("with --http %s events go to %s", (http, url) => {
  expect(manifestOf({ shop: bot }, { http })).toMatchObject({
    settings: {
      socket_mode_enabled: false,
      event_subscriptions: { request_url: url },
      interactivity: { request_url: url },
    },
  });
});

test.each<[Record<string, BotConfig>, Record<string, string>, string]>([
  [{ a: bot, b: bot }, {}, "--bot: must name one of a, b"],
  [{ a: bot }, { bot: "c" }, "--bot: must name one of a"],
  [
    { a: bot },
    { http: "http://relay.example.org" },
    '--http: must be a URL that begins with "https://"',
  ],
  [{ a: bot }, { http: "nonsense" }, '--http: must be a URL that begins with "https://"'],
  [
    { a: { ...bot, signingSecret: "a-reference" } },
    {},
    'bot "a" is sent events over HTTP; give the relay\'s address with --http',
  ],
])("of %j with %j is said: %s", (bots, options, message) => {
  const attempt = () => manifestOf(bots, options);
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(message);
});
