import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { FakeSlack, waitFor } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeBinary } from "./node-binary.ts";
import { createProject } from "./project.ts";
import { withDependencies } from "./published.ts";
import { Running } from "./running.ts";

let project: Awaited<ReturnType<typeof createProject>>;
beforeAll(async () => {
  project = await createProject(withDependencies("apps/slack-relay"));
});
afterAll(() => project?.[Symbol.asyncDispose]());

describe.each(["22.19.0", "24"])("npx slack-relay on Node.js %s", (version) => {
  test("answers people of a workspace, checks its tokens, and leaves nothing behind", async () => {
    await using slack = await FakeSlack.start();
    const cwd = project.folder;
    const temporary = path.join(cwd, `tmp-${version}`);
    await mkdir(temporary);
    const config = path.join(cwd, `relay-${version}.jsonc`);
    const stateDir = path.join(cwd, `state-${version}`);
    const access = [{ users: ["*"] }];
    await writeFile(config, JSON.stringify({ stateDir, access }), { mode: 0o600 });
    const node = await nodeBinary(version);
    const { PATH = "", HOME = "" } = process.env;
    const { botToken, appToken } = slack.app;
    const env = {
      ...{ PATH: `${path.dirname(node)}:${PATH}`, HOME, TMPDIR: temporary },
      // npm keeps no compiled code in TMPDIR then.
      NODE_DISABLE_COMPILE_CACHE: "1",
      ...{ SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: slack.apiUrl },
    };
    const npx = (...args: readonly string[]) =>
      new Running("npx", ["--no", "slack-relay", ...args], { cwd, env });

    await using check = npx("check", "--config", config);
    const checked = await check.ends();
    expect([checked.code, checked.stderr]).toEqual([0, ""]);
    expect(checked.stdout).toContain("fine     bot slack: may open sockets");

    await using relay = npx("start", "--config", config, "--port", "0", "--speed", "10");
    await relay.prints(/^ +Slack, by Socket Mode {2}bot slack/m);
    await waitFor("a socket", () => slack.socketMode.ready > 0, 20_000);
    const ana = slack.person("U0ANA");
    ana.say("C0SHOP", "<@U0BOT> hello");
    ana.say("D0ANA", "hello");
    const sees = (channel: string) => () => ana.see(channel).includes("Have fun!");
    await waitFor("an answer in the channel", sees("C0SHOP"), 60_000);
    await waitFor("an answer in the direct message", sees("D0ANA"), 60_000);

    relay.signal("SIGINT");
    expect((await relay.ends()).stderr).not.toMatch(/xoxb|xapp/);
    expect(await readdir(temporary)).toEqual([]);
  });
});
