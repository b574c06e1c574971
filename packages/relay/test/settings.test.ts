import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { RelayApp } from "../src/app.ts";
import type { EnvValue } from "../src/bots/env-values.ts";
import { type Config, configSchema } from "../src/config/schema.ts";
import { isLoopback } from "../src/is-loopback.ts";
import { createSettings, type StartFlags } from "../src/settings.ts";

const KEY = "K".repeat(32);

const app: RelayApp = {
  name: "poe-relay",
  version: "1.0.0",
  description: "",
  surfaceName: "poe",
  demoAgent: ["/usr/bin/node", "/demo.js"],
  createSurface: () => {
    throw new Error("not here");
  },
};

const envKey: EnvValue = { value: KEY, setting: "POE_ACCESS_KEY", source: "environment" };

type Given = { flags?: Partial<StartFlags>; config?: object; key?: EnvValue };

function settings({ flags, config, key }: Given = {}) {
  const parsed: Config | undefined = config && configSchema.parse(config);
  return createSettings({
    app,
    flags: { instance: "default", ...flags },
    env: key && { POE_ACCESS_KEY: key },
    createKey: () => "D".repeat(32),
    ...(parsed && {
      loaded: { config: parsed, secrets: [], fromEnvironment: [], file: "/etc/relay.jsonc" },
    }),
  });
}

function catchError(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    return error;
  }
}

describe("without configuration and key it is the demo", () => {
  test("one bot with a random key, the demo agent, scratch, everybody, this machine only", () => {
    expect(settings()).toMatchObject({
      mode: "demo",
      bots: [
        {
          name: "poe",
          settings: { path: "/poe", accessKeys: ["D".repeat(32)] },
          agent: "demo",
          workspace: "scratch",
        },
      ],
      agents: { demo: { command: ["/usr/bin/node", "/demo.js"] } },
      workspaces: { scratch: { isolation: "scratch" } },
      access: [{ users: ["*"] }],
      listen: { host: "127.0.0.1", port: 8787 },
      stateDir: undefined,
      secrets: ["D".repeat(32)],
      fromEnvironment: [],
    });
  });

  test("--agent and --workspace replace only those parts", () => {
    const changed = settings({ flags: { agent: ["x", "y z"], workspace: "some/repo" } });
    expect(changed).toMatchObject({
      mode: "demo",
      bots: [{ agent: "agent", workspace: "repo", settings: { accessKeys: ["D".repeat(32)] } }],
      agents: { agent: { command: ["x", "y z"] } },
      workspaces: { repo: { isolation: "shared", path: resolve("some/repo"), permissions: "ask" } },
      access: [{ users: ["*"] }],
    });
    expect(Object.keys(changed.agents)).toEqual(["agent"]);
  });

  test("--path, --port, --state-dir and --speed are passed on", () => {
    expect(
      settings({ flags: { path: "/bot", port: 0, stateDir: "state", speed: 10 } }),
    ).toMatchObject({
      bots: [{ settings: { path: "/bot" } }],
      listen: { port: 0 },
      stateDir: resolve("state"),
      agents: { demo: { command: ["/usr/bin/node", "/demo.js", "--speed", "10"] } },
    });
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.evil.example"])(
    "C10: it refuses to serve other machines: --host %s",
    (host) => {
      expect(() => settings({ flags: { host } })).toThrow(
        /--host .* is refused; set POE_ACCESS_KEY/,
      );
    },
  );

  test.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("--host %s is fine", (host) => {
    expect(settings({ flags: { host } }).listen.host).toBe(host);
    expect(isLoopback(host)).toBe(true);
  });
});

describe("with a key it is a relay", () => {
  test("that admits nobody without a rule, and may serve other machines", () => {
    expect(settings({ key: envKey, flags: { host: "0.0.0.0" } })).toMatchObject({
      mode: "configured",
      bots: [{ name: "poe", settings: { path: "/poe", accessKeys: [KEY] }, agent: "demo" }],
      access: [],
      listen: { host: "0.0.0.0" },
      secrets: [KEY],
      fromEnvironment: ["POE_ACCESS_KEY"],
    });
  });

  test("C2: a key from a file is not counted as one that the environment holds", () => {
    const key: EnvValue = { value: KEY, setting: "POE_ACCESS_KEY_FILE", source: "file" };
    expect(settings({ key }).fromEnvironment).toEqual([]);
  });

  test.each([0, 7, 31, 33])("a key of %i characters is refused, without showing it", (length) => {
    const value = "S".repeat(length);
    const attempt = () => settings({ key: { ...envKey, value } });
    expect(attempt).toThrow(
      `POE_ACCESS_KEY: an access key has 32 characters and this one has ${length}; copy`,
    );
    expect(attempt).not.toThrow(/SSS/);
  });

  test.each([" ", "\t", "é", "\u00a0", "\n"])(
    "a key with %j in it is refused, without showing it",
    (character) => {
      const value = `${"S".repeat(31)}${character}`;
      const attempt = () => settings({ key: { ...envKey, value } });
      expect(attempt).toThrow(
        "POE_ACCESS_KEY: an access key has visible ASCII characters only and this one has a space or another character; copy",
      );
      expect(attempt).not.toThrow(/SSS/);
    },
  );
});

describe("with a configuration", () => {
  const bot = { surface: "poe", accessKeys: [KEY] };

  test("a bot takes the only agent and the only workspace there are", () => {
    const config = {
      bots: { shop: bot },
      agents: { claude: { command: ["claude"] } },
      workspaces: { repo: { isolation: "shared", path: "/srv/repo" } },
    };
    expect(settings({ config }).bots).toMatchObject([
      { name: "shop", agent: "claude", workspace: "repo" },
    ]);
  });

  test("a bot that could mean several is asked to choose", () => {
    const agents = { a: { command: ["a"] }, b: { command: ["b"] } };
    expect(() => settings({ config: { bots: { shop: bot }, agents } })).toThrow(
      "bots.shop.agent: must name one of a, b",
    );
    const config = { bots: { shop: { ...bot, agent: "b" } }, agents };
    expect(settings({ config }).bots).toMatchObject([{ agent: "b" }]);
    // The other one can be chosen.
    expect(Object.keys(settings({ config }).agents)).toEqual(["a", "b"]);
  });

  test("flags win over it", () => {
    const config = {
      bots: { shop: { ...bot, path: "/a" } },
      agents: { claude: { command: ["claude"] } },
      listen: { host: "127.0.0.2", port: 1 },
      stateDir: "/var/lib/a",
    };
    const flags = { agent: ["x"], path: "/b", host: "127.0.0.3", port: 2, stateDir: "/var/lib/b" };
    expect(settings({ config, flags })).toMatchObject({
      bots: [{ agent: "agent", settings: { path: "/b" } }],
      listen: { host: "127.0.0.3", port: 2 },
      stateDir: "/var/lib/b",
    });
  });

  test("the key of the environment is for the one bot that has none", () => {
    const keyless = { surface: "poe", path: "/b" };
    const config = { bots: { shop: bot, other: keyless } };
    const other: EnvValue = { ...envKey, value: "E".repeat(32) };
    expect(
      settings({ config, key: other }).bots.map(
        (one) => "accessKeys" in one.settings && one.settings.accessKeys,
      ),
    ).toEqual([[KEY], ["E".repeat(32)]]);
    const two = { bots: { a: keyless, b: { ...keyless, path: "/c" } } };
    expect(() => settings({ config: two, key: other })).toThrow(/is the key of one bot, and a, b/);
  });

  test("without any key it is refused, and never the demo", () => {
    expect(() => settings({ config: {} })).toThrow(
      'bot "poe" has no access key; set POE_ACCESS_KEY, POE_ACCESS_KEY_FILE, or bots.poe.accessKeys',
    );
  });

  test("each configured key is checked and named", () => {
    const config = {
      bots: {
        shop: { surface: "poe", accessKeys: [KEY, "short"] },
        infra: { surface: "poe", path: "/infra", accessKeys: ["é".repeat(32)] },
      },
    };
    const error = catchError(() => settings({ config }));
    expect(error).toMatchObject({
      problems: [
        expect.stringMatching(/^bots\.shop\.accessKeys\[1\]: an access key has 32/),
        expect.stringMatching(/^bots\.infra\.accessKeys\[0\]: an access key has visible/),
      ],
    });
  });

  test("--path is refused for several bots, --speed for another agent than the demo", () => {
    const config = { bots: { a: bot, b: { ...bot, path: "/b" } } };
    expect(() => settings({ config, flags: { path: "/x" } })).toThrow(/--path is for a single bot/);
    const agents = { a: { command: ["a"] } };
    expect(() => settings({ config: { bots: { a: bot }, agents }, flags: { speed: 2 } })).toThrow(
      /--speed is for the demo agent/,
    );
    expect(() => settings({ flags: { agent: ["a"], speed: 2 } })).toThrow(/--speed/);
  });

  test("a bot's options list the models of all its rules, or any when one of them lists none", () => {
    const listing = (...access: object[]) =>
      settings({ config: { bots: { shop: bot }, access } }).bots[0]?.models;
    const ana = { users: ["ana"], models: ["a"] };
    expect(listing(ana, { users: ["bob"], models: ["b", "a"] })).toEqual(["a", "b"]);
    expect(listing(ana, { users: ["bob"], models: ["b"], bots: ["other"] })).toEqual(["a"]);
    expect(listing(ana, { users: ["bob"] })).toBeUndefined();
    expect(listing(ana, { users: ["bob"], models: ["*"] })).toBeUndefined();
    expect(listing()).toBeUndefined();
    const agents = { a: { command: ["a"], models: ["b", "c"] } };
    const bounded = (...access: object[]) =>
      settings({ config: { bots: { shop: bot }, agents, access } }).bots[0]?.models;
    expect(bounded()).toEqual(["b", "c"]);
    expect(bounded({ users: ["bob"], models: ["a", "b"] })).toEqual(["b"]);
  });

  test("a bot's options list the modes that somebody may choose, and other settings where operators are", () => {
    const bounds = (own: readonly string[] | undefined, ...access: object[]) => {
      const agents = { a: { command: ["a"], ...(own && { modes: own }) } };
      const [shop] = settings({ config: { bots: { shop: bot }, agents, access } }).bots;
      return [shop?.modes, shop?.hasFixedSettings];
    };
    const ana = { users: ["ana"], modes: ["ask"] };
    const bob = { users: ["bob"] };
    expect(bounds(undefined, ana, bob)).toEqual([["ask"], true]);
    expect(bounds(undefined, bob)).toEqual([[], true]);
    expect(bounds(["ask", "code"], bob)).toEqual([["ask", "code"], true]);
    expect(bounds(["code"], ana)).toEqual([[], true]);
    expect(bounds(undefined, { ...bob, modes: ["*"] })).toEqual([undefined, true]);
    expect(bounds(["*"], bob)).toEqual([undefined, true]);
    expect(bounds(["code"], { ...bob, modes: ["*"] })).toEqual([["code"], true]);
    expect(bounds(undefined, ana, { users: ["eve"], role: "operator" })).toEqual([
      undefined,
      false,
    ]);
    expect(bounds(["code"])).toEqual([undefined, false]);
  });

  test("a bot's defaults complete the router's", () => {
    const config = { bots: { shop: { ...bot, defaults: { model: "m", showPlans: false } } } };
    expect(settings({ config }).bots[0]?.defaults).toMatchObject({
      model: "m",
      showPlans: false,
      showTools: true,
      thinking: "",
    });
  });
});
