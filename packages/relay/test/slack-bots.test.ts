import { describe, expect, test } from "vitest";
import { chooseBots } from "../src/bots/choose-bots.ts";
import type { EnvName, EnvValues } from "../src/bots/env-values.ts";
import { configSchema } from "../src/config/schema.ts";
import { ConfigError } from "../src/errors.ts";
import { createSettings } from "../src/settings.ts";
import { testApp } from "./test-app.ts";

const BOT = "xoxb-bot-token";
const APP = "xapp-app-token";
const SIGNING = "0123456789abcdef";
const app = { ...testApp, name: "slack-relay", surfaceName: "slack" } as const;

function envOf(values: Partial<Record<EnvName, string>>): EnvValues {
  return Object.fromEntries(
    Object.entries(values).map(([setting, value]) => [
      setting,
      { value, setting, source: "environment" as const },
    ]),
  );
}

type Given = { bots?: object; env?: Partial<Record<EnvName, string>>; path?: string };

function choose({ bots = {}, env = {}, path }: Given) {
  return chooseBots({ app, config: configSchema.parse({ bots }), env: envOf(env), path });
}

function problemsOf(given: Given): readonly string[] {
  try {
    choose(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const bot = { surface: "slack", botToken: BOT, appToken: APP };

describe("a bot on Slack", () => {
  test("comes from the environment alone, by Socket Mode when there is an app token", () => {
    const env = { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP, SLACK_SIGNING_SECRET: SIGNING };
    expect(choose({ env })).toMatchObject([
      ["slack", { surface: "slack", botToken: BOT, transport: { kind: "socket", appToken: APP } }],
    ]);
  });

  test("is sent requests to its path when it has a signing secret and no app token", () => {
    const env = { SLACK_BOT_TOKEN: BOT, SLACK_SIGNING_SECRET: SIGNING };
    const transportOf = (path?: string) =>
      choose({ env, ...(path && { path }) }).map(([, one]) => "transport" in one && one.transport);
    expect(transportOf()).toEqual([
      { kind: "http", signingSecret: SIGNING, path: "/slack/events" },
    ]);
    expect(transportOf("/x")).toEqual([{ kind: "http", signingSecret: SIGNING, path: "/x" }]);
  });

  test("has its secrets where they are used and nowhere else in its settings", () => {
    const [[, settings] = []] = choose({ bots: { a: { ...bot, signingSecret: SIGNING } } });
    expect(Object.keys(settings ?? {}).sort()).toEqual(
      ["agentView", "botToken", "defaults", "features", "surface", "transport"].sort(),
    );
    expect(JSON.stringify(settings)).not.toContain(SIGNING);
  });

  test("without tokens is told which, all at once", () => {
    expect(problemsOf({ bots: { a: { surface: "slack" } } })).toEqual([
      'bot "a" has no bot token; set SLACK_BOT_TOKEN, SLACK_BOT_TOKEN_FILE, or bots.a.botToken in the configuration',
      expect.stringMatching(
        /^bot "a" has no app token; set SLACK_APP_TOKEN, .* or a signing secret in the same way/,
      ),
    ]);
  });

  test.each<[Partial<Record<EnvName, string>>, RegExp]>([
    [{ SLACK_BOT_TOKEN: APP }, /^SLACK_BOT_TOKEN: this is an app-level token; copy the Bot User/],
    [{ SLACK_APP_TOKEN: BOT }, /^SLACK_APP_TOKEN: this is a bot token; copy the app-level token/],
    [{ SLACK_BOT_TOKEN: "xoxp-1" }, /^SLACK_BOT_TOKEN: this is a person's token; copy/],
    [{ SLACK_BOT_TOKEN: "nonsense" }, /^SLACK_BOT_TOKEN: this is no token; copy/],
    [{ SLACK_BOT_TOKEN: "" }, /^SLACK_BOT_TOKEN: it is empty; copy/],
    [{ SLACK_BOT_TOKEN: `${BOT} ` }, /^SLACK_BOT_TOKEN: it has a space/],
    [{ SLACK_SIGNING_SECRET: BOT }, /^SLACK_SIGNING_SECRET: this is a bot token; copy the Signing/],
    [{ SLACK_API_URL: "http://example.org/api/" }, /^SLACK_API_URL: must be the Web API/],
    [{ SLACK_API_URL: "https://a:b@example.org/" }, /^SLACK_API_URL: must be the Web API/],
    [{ SLACK_API_URL: "nonsense" }, /^SLACK_API_URL: must be the Web API/],
  ])("refuses %j by its shape, without showing it", (env, problem) => {
    const given = { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP, ...env };
    const problems = problemsOf({ env: given });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    for (const value of Object.values(env)) {
      if (value.trim() !== "") expect(problems.join()).not.toContain(value.trim());
    }
  });

  test.each(["http://127.0.0.1:4000/api", "http://localhost:1/api/", "https://slack.example/api"])(
    "calls %s, with a slash at its end",
    (url) => {
      const env = { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP, SLACK_API_URL: url };
      const [[, settings] = []] = choose({ env });
      expect(settings).toMatchObject({ apiUrl: `${url.replace(/\/$/, "")}/` });
    },
  );

  test("gets what the environment gives when it is the only one without it", () => {
    const other = { surface: "slack", botToken: `${BOT}-2`, appToken: `${APP}-2` };
    const env = { SLACK_BOT_TOKEN: BOT, SLACK_APP_TOKEN: APP };
    const tokens = choose({ bots: { a: { surface: "slack" }, b: other }, env }).map(
      ([, one]) => "botToken" in one && one.botToken,
    );
    expect(tokens).toEqual([BOT, `${BOT}-2`]);
    const two = { a: { surface: "slack" }, b: { surface: "slack" } };
    expect(problemsOf({ bots: two, env })).toEqual([
      "SLACK_BOT_TOKEN is the bot token of one bot, and a, b have none; set bots.<name>.botToken in the configuration",
    ]);
  });

  test("a signing secret of the environment is not for a bot with Socket Mode", () => {
    const bots = { a: bot, b: { surface: "slack", botToken: `${BOT}-2` } };
    const chosen = choose({ bots, env: { SLACK_SIGNING_SECRET: SIGNING } });
    expect(chosen.map(([, one]) => "transport" in one && one.transport.kind)).toEqual([
      "socket",
      "http",
    ]);
  });

  test("two that are sent requests need a path each, and two with sockets do not", () => {
    const http = { surface: "slack", botToken: BOT, signingSecret: SIGNING };
    expect(problemsOf({ bots: { a: http, b: http } })).toEqual([
      'bots.b.path: "/slack/events" is the path of "a" too; give each bot its own',
    ]);
    expect(problemsOf({ bots: { a: bot, b: bot, c: http } })).toEqual([]);
  });
});

describe("one configuration for both relays", () => {
  const bots = { poe: { surface: "poe", accessKeys: ["K".repeat(32)] }, slack: bot };
  const loaded = (config: object) => ({
    config: configSchema.parse(config),
    ...{ secrets: [], fromEnvironment: [], file: "/etc/relay.jsonc" },
  });

  test("each serves its own bots and says nothing of the others", () => {
    const names = (surfaceName: "poe" | "slack") =>
      createSettings({
        app: { ...testApp, surfaceName },
        flags: { instance: "default" },
        // A bot of the other surface that is not complete is none of its business.
        loaded: loaded({
          bots: {
            ...bots,
            [`half-${surfaceName === "poe" ? "slack" : "poe"}`]: {
              surface: surfaceName === "poe" ? "slack" : "poe",
            },
          },
        }),
        createKey: () => "",
      }).bots.map(({ name }) => name);
    expect(names("poe")).toEqual(["poe"]);
    expect(names("slack")).toEqual(["slack"]);
  });

  test("each listens on a port of its own", () => {
    const portOf = (surfaceName: "poe" | "slack") =>
      createSettings({
        app: { ...testApp, surfaceName },
        flags: { instance: "default" },
        loaded: loaded({ bots }),
        createKey: () => "",
      }).listen.port;
    expect([portOf("poe"), portOf("slack")]).toEqual([8787, 8788]);
  });
});

test("without anything there is no demo on Slack, and one line says what to do", () => {
  const start = () =>
    createSettings({ app, flags: { instance: "default" }, createKey: () => "K".repeat(32) });
  expect(start).toThrow(
    /^no Slack app is configured; "slack-relay manifest" prints .* SLACK_BOT_TOKEN and SLACK_APP_TOKEN, .* pnpm start:slack$/,
  );
});

test("C2: secrets of the environment are registered and named; the address of the Web API is none", () => {
  const settings = createSettings({
    app,
    flags: { instance: "default" },
    env: envOf({
      SLACK_BOT_TOKEN: BOT,
      SLACK_APP_TOKEN: APP,
      SLACK_API_URL: "http://127.0.0.1:1/api/",
    }),
    createKey: () => "",
  });
  expect(settings.secrets).toEqual([BOT, APP]);
  expect(settings.fromEnvironment).toEqual(["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]);
  expect(settings.mode).toBe("configured");
});
