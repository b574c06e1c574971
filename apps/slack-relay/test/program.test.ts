import { spawnSync } from "node:child_process";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { waitFor } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 3 * SOON_MS, hookTimeout: SOON_MS });

const agent = { prompt: [{ kind: "text", text: "heard {{prompt}}" }] } as const;

describe.each(["socket", "http"] as const)("a relay that hears by %s", (transport) => {
  let relay: KeptRelay;
  beforeAll(async () => {
    relay = await KeptRelay.start({ agent, transport });
  });
  afterAll(() => relay?.[Symbol.asyncDispose]());

  test("answers a mention in a thread under it, and a direct message", async () => {
    const ana = relay.slack.person("U0ANA");
    ana.say("C0SHOP", "<@U0BOT> one");
    expect(await relay.shows("U0ANA", "C0SHOP", /heard[\s\S]*one/)).toMatch(/^ana: [^\n]*one/m);
    ana.say("D0ANA", "two");
    await relay.shows("U0ANA", "D0ANA", /heard[\s\S]*two/);
    expect(relay.prompts).toHaveLength(2);
  });

  test("shows its conversations by their keys, which name team and channel", async () => {
    const { code, stdout } = await relay.run("sessions", "list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/slack\/chat\/T0ACME\/C0SHOP\/\d+\.\d+/);
    expect(stdout).toMatch(/slack\/chat\/T0ACME\/D0ANA\/\d+\.\d+/);
  });

  test("C36: its tokens pass the check that asks Slack, and none of them is said", async () => {
    const { code, stdout, stderr } = await relay.run("check");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^fine {5}bot chat: is agent in acme \(T0ACME\)$/m);
    expect(stdout + relay.stderr + relay.stdout).not.toMatch(/xoxb|xapp|fake-signing-secret/);
  });

  test("tells the private side how it stands with Slack", async () => {
    const isHttp = transport === "http";
    expect(await relay.asks("/healthz")).toEqual([
      200,
      expect.stringMatching(
        isHttp
          ? /^ok .*\nbot chat hears by requests\n$/
          : /^ok .*\nbot chat hears by \d sockets?\n$/,
      ),
    ]);
    if (isHttp) return;
    expect((await relay.asks("/metrics"))[1]).toMatch(/^acp_relay_connections\{bot="chat"\} \d$/m);
    relay.slack.fail("apps.connections.open", { kind: "error", error: "internal_error" }, 1_000);
    relay.slack.socketMode.cut();
    const health = () => relay.asks("/healthz");
    await waitFor("it to be ill", async () => (await health())[0] === 503, SOON_MS);
    expect((await health())[1]).toMatch(/^not ok .*\nbot chat hears nothing: no socket stands\n$/);
    relay.slack.heal();
    await waitFor("it to be well", async () => (await health())[0] === 200, SOON_MS);
  });

  test("goes on when what waits for Slack cannot be read for a while", async () => {
    const before = relay.generations;
    const database = new DatabaseSync(path.join(relay.stateDir, "relay.db"));
    database.exec("ALTER TABLE slack_open RENAME TO slack_open_elsewhere");
    await waitFor("it to be said", () => relay.stderr.includes("cannot be read now"), SOON_MS);
    database.exec("ALTER TABLE slack_open_elsewhere RENAME TO slack_open");
    database.close();
    relay.slack.person("U0ANA").say("D0ANA", "three");
    await relay.shows("U0ANA", "D0ANA", /heard[\s\S]*three/);
    expect(relay.generations).toEqual(before);
  });

  test("erases a person from the surface's own tables too", async () => {
    relay.kill("SIGTERM");
    expect(await relay.ends()).toBe(0);
    expect(await relay.run("erase", "--user", "U0ANA")).toMatchObject({ code: 0, stderr: "" });
    expect((await relay.run("sessions", "list")).stdout).not.toContain("T0ACME");
    await relay.start();
  });
});

describe("the command line", () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const all = ["--conditions=@acp-kit/source", main, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: "utf8" });
    return { status, stdout, stderr };
  };

  test("without configuration and tokens says on one line what to set", () => {
    const { status, stdout, stderr } = run(["start"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(
      /^slack-relay: no Slack app is configured; [^\n]*SLACK_BOT_TOKEN and SLACK_APP_TOKEN[^\n]*start:slack\n$/,
    );
  });

  test("with swapped tokens says which is which, and shows neither", () => {
    const env = { SLACK_BOT_TOKEN: "xapp-secret-1", SLACK_APP_TOKEN: "xoxb-secret-2" };
    const { status, stderr } = run(["start"], env);
    expect(status).toBe(1);
    expect(stderr).toMatch(/SLACK_BOT_TOKEN: this is an app-level token/);
    expect(stderr).toMatch(/SLACK_APP_TOKEN: this is a bot token/);
    expect(stderr).not.toContain("secret-");
  });

  test("C36: prints a manifest without any configuration", () => {
    const { status, stdout } = run(["manifest", "--name", "Coder"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      display_information: { name: "Coder" },
      settings: { socket_mode_enabled: true },
    });
    expect(stdout).not.toMatch(/chat:write\.|search:|admin|"user"/);
  });
});
