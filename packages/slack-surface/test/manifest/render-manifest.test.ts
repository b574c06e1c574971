import fc from "fast-check";
import { expect, test } from "vitest";
import { renderManifest } from "../../src/manifest/render-manifest.ts";
import { SLACK_FEATURES, type SlackFeature } from "../../src/manifest/scopes.ts";

const manifestOf = (
  features: Iterable<SlackFeature>,
  more: { readonly requestUrl?: string } = {},
) => renderManifest({ name: "Coder", description: "Writes code with you.", features, ...more });
const scopesOf = (...features: SlackFeature[]) => manifestOf(features).oauth_config.scopes.bot;

const someFeatures = fc.subarray([...SLACK_FEATURES]);

test("C36: without any feature, the app may write where it was invited, and nothing else", () => {
  expect(scopesOf()).toEqual(["chat:write"]);
});

test.each<[SlackFeature, readonly string[]]>([
  ["channels", ["app_mentions:read", "channels:history", "chat:write"]],
  ["private-channels", ["app_mentions:read", "chat:write", "groups:history"]],
  ["group-messages", ["app_mentions:read", "chat:write", "mpim:history"]],
  ["direct-messages", ["chat:write", "im:history"]],
  ["agent", ["assistant:write", "chat:write"]],
  ["native-stop", ["chat:write"]],
  ["files-in", ["chat:write", "files:read"]],
  ["files-out", ["chat:write", "files:read", "files:write"]],
  ["signs", ["chat:write", "reactions:write"]],
  ["reactions", ["chat:write", "reactions:read"]],
  ["people", ["chat:write", "users:read"]],
  ["first-messages", ["chat:write", "im:write"]],
  ["slash-command", ["chat:write", "commands"]],
  ["catch-up", ["chat:write"]],
])("C36: %s costs exactly the scopes %j", (feature, scopes) => {
  expect(scopesOf(feature)).toEqual(scopes);
});

test("C36: several features ask for what each of them needs, once, and no more", () => {
  fc.assert(
    fc.property(someFeatures, (features) => {
      const each = features.flatMap((feature) =>
        features.includes("catch-up") ? scopesOf(feature, "catch-up") : scopesOf(feature),
      );
      expect(scopesOf(...features)).toEqual([...new Set(["chat:write", ...each])].sort());
    }),
  );
});

test.each<[SlackFeature, string]>([
  ["channels", "channels:read"],
  ["private-channels", "groups:read"],
  ["group-messages", "mpim:read"],
  ["direct-messages", "im:read"],
])("C36: to look for what was missed, %s cost %s as well", (feature, scope) => {
  expect(scopesOf(feature, "catch-up")).toEqual([...scopesOf(feature), scope].sort());
});

test("C36: no app asks for public or customised writing, search, administration or a person's own rights", () => {
  fc.assert(
    fc.property(someFeatures, fc.option(fc.webUrl()), (features, url) => {
      const { oauth_config, ...rest } = manifestOf(
        features,
        url === null ? {} : { requestUrl: url },
      );
      expect(Object.keys(oauth_config)).toEqual(["scopes"]);
      expect(Object.keys(oauth_config.scopes)).toEqual(["bot"]);
      for (const scope of oauth_config.scopes.bot) {
        expect(scope).not.toMatch(/^(?:chat:write\..+|search:.*|admin(?:[.:].*)?)$/);
      }
      const keys = JSON.stringify(rest);
      expect(keys).not.toMatch(/"(?:scopes|user|user_events|bot_optional|user_optional)":/);
    }),
  );
});

test("events come with the feature that understands them", () => {
  const eventsOf = (...features: SlackFeature[]) =>
    manifestOf(features).settings["event_subscriptions"];
  expect(eventsOf()).toEqual({ bot_events: ["app_uninstalled", "tokens_revoked"] });
  expect(eventsOf("channels", "native-stop")).toEqual({
    bot_events: [
      "agent_session_stopped",
      "app_mention",
      "app_uninstalled",
      "message.channels",
      "tokens_revoked",
    ],
  });
});

test.each([
  ["channels", "channels:history", "message.channels"],
  ["private-channels", "groups:history", "message.groups"],
  ["group-messages", "mpim:history", "message.mpim"],
] as const)(
  "%s bring the right to read them, and the event of what is said there",
  (feature, scope, event) => {
    const manifest = manifestOf([feature]);
    expect(manifest.oauth_config).toMatchObject({
      scopes: { bot: expect.arrayContaining([scope]) },
    });
    expect(manifest.settings["event_subscriptions"]).toMatchObject({
      bot_events: expect.arrayContaining([event]),
    });
  },
);

test("an app on Socket Mode names no address, one over HTTP the same everywhere", () => {
  const socket = manifestOf(SLACK_FEATURES);
  expect(socket.settings["socket_mode_enabled"]).toBe(true);
  expect(JSON.stringify(socket)).not.toMatch(/url/);
  const requestUrl = "https://relay.example/slack";
  const http = manifestOf(SLACK_FEATURES, { requestUrl });
  expect(http.settings).toMatchObject({
    socket_mode_enabled: false,
    event_subscriptions: { request_url: requestUrl },
    interactivity: { is_enabled: true, request_url: requestUrl },
  });
  expect(http.features["slash_commands"]).toMatchObject([{ command: "/agent", url: requestUrl }]);
});

test("names and descriptions are cut to what Slack takes, between letters", () => {
  const { display_information, features } = renderManifest({
    name: "👾".repeat(50),
    description: "x".repeat(200),
    features: ["slash-command"],
  });
  expect(display_information).toEqual({ name: "👾".repeat(35), description: "x".repeat(140) });
  expect(features["bot_user"]).toMatchObject({ display_name: "👾".repeat(35) });
});

test("a message's shortcut comes with the slash command, whose scope it needs", () => {
  expect(manifestOf(["channels"]).features["shortcuts"]).toBeUndefined();
  expect(manifestOf(["slash-command"]).features["shortcuts"]).toMatchObject([
    { type: "message", callback_id: "turn-stop" },
  ]);
});
