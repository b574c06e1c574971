import { strict as assert } from "node:assert";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { RelayProcess } from "../apps/poe-relay/test/relay-process.ts";
import { startGeminiMock } from "./gemini-mock.ts";
import { run } from "./run.ts";

const AGENT = "@google/gemini-cli@0.61";
const ANSWER = "Loopback says hello: 6 × 7 = 42.";

/**
 * gemini-cli answers through poe-relay.
 *
 * @param args - `--workspace DIR`: the git checkout that the agent works in; by default one that is made for it.
 * @param say - Takes a line on each thing that was done.
 * @throws when the agent did not answer
 */
export async function poeGemini(
  args: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { workspace: { type: "string" } } });
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "poe-gemini-")));
  try {
    const workspace = await realpath(values.workspace ?? (await createCheckout(directory)));
    const commit = await run("git", ["rev-parse", "--short", "HEAD"], workspace);
    say(`checkout: ${workspace} at ${commit.trim()}`);

    const npm = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", directory];
    await run("npm", [...npm, AGENT], directory);
    const gemini = path.join(directory, "node_modules/.bin/gemini");
    const version = await run(gemini, ["--version"], directory);
    say(`agent: gemini-cli ${version.trim()}, installed by npm`);

    await using model = await startGeminiMock(ANSWER);
    say(`model: a mock on ${model.url}`);

    await using relay = await RelayProcess.start({
      config: {
        agents: {
          gemini: {
            command: [gemini, "--acp"],
            env: {
              HOME: await createHome(directory),
              GEMINI_API_KEY: "none",
              GEMINI_CLI_NO_RELAUNCH: "1",
              // Without one it asks the model first which model to take.
              GEMINI_MODEL: "gemini-2.5-flash",
              GOOGLE_GEMINI_BASE_URL: model.url,
              TMPDIR: directory,
            },
          },
        },
        access: [{ users: ["*"] }],
        log: { level: "debug" },
      },
      flags: ["--workspace", workspace],
    });
    say(`relay: ${relay.stdout.split("\n")[1]?.trim()}`);

    const query = relay.poe.query({ text: "What is six times seven?" });
    const { how, ms } = await query.done;
    say(`answer after ${Math.round(ms)} ms (${how}):\n\n${query.body()}\n`);
    if (!query.body().includes(ANSWER)) process.stderr.write(relay.stderr);
    assert.equal(how, "done");
    assert.deepEqual(query.violations, []);
    assert.ok(query.body().includes(ANSWER), "the model's answer is not in the response");
    const asked = model.questions.filter((body) => body.includes("six times seven"));
    assert.equal(asked.length, 1, `the model was asked ${asked.length} times`);
    assert.ok(asked[0]?.includes(workspace), "the agent does not know the checkout");
    say(`the model was asked once, and told of ${workspace}`);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A repository with one commit. */
async function createCheckout(directory: string): Promise<string> {
  const checkout = path.join(directory, "shop");
  await mkdir(checkout);
  await writeFile(path.join(checkout, "README.md"), "# Shop\n");
  const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"];
  await run("git", ["init", "--quiet"], checkout);
  await run("git", ["add", "."], checkout);
  await run("git", [...identity, "commit", "--quiet", "-m", "Open the shop"], checkout);
  return checkout;
}

/** A home in which somebody has chosen to log in by API key, and wants nothing reported. */
async function createHome(directory: string): Promise<string> {
  const home = path.join(directory, "home");
  await mkdir(path.join(home, ".gemini"), { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  };
  await writeFile(path.join(home, ".gemini/settings.json"), JSON.stringify(settings));
  return home;
}
