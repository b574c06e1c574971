import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createPoeId, type PoeDriverMessage, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const loginAgent = fileURLToPath(
  new URL("../../../packages/relay/test/fixtures/login-agent.ts", import.meta.url),
);
const CODE = "planted7secret7good";
const PASTED = `http://localhost:1455/auth/callback?code=${CODE}&state=s1`;

function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => path.join(directory, String(name)))
    .filter((file) => lstatSync(file).isFile() && readFileSync(file).includes(text));
}

test("C25: a login pasted in chat is in no log, no file of the relay and no prompt, before and after a restart", {
  timeout: 5 * SOON_MS,
}, async () => {
  const own = mkdtempSync(path.join(tmpdir(), "login-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  const record = path.join(own, "record.jsonl");
  const command = [process.execPath, "--conditions=@acp-kit/source", loginAgent, record];
  await using relay = await KeptRelay.start(
    { prompt: [] },
    {
      agents: { login: { command } },
      access: [{ users: ["*"], role: "operator" }],
      log: { level: "debug" },
    },
  );
  const conversation = createPoeId("c");
  const messages: PoeDriverMessage[] = [];
  const say = async (content: string) => {
    messages.push({ role: "user", content, message_id: createPoeId("m") });
    const query = relay.poe.query({ messages, conversation });
    expect(await waitFor("the answer", query.done, SOON_MS)).toMatchObject({ how: "done" });
    const answer = query.body();
    messages.push({ role: "bot", content: answer, message_id: createPoeId("m") });
    return answer;
  };
  expect(await say("!login")).toContain("`acme`");
  expect(await say("!login acme")).toContain("https://login.example/authorize");
  expect(await say(PASTED)).toContain("Logged in");
  expect(await say("hello")).toContain("heard");
  relay.kill("SIGTERM");
  await relay.ends();
  await relay.start();
  // The agent has lost its session, so the new one is told the transcript.
  expect(await say("and after a restart")).toContain("heard");
  expect(await say(PASTED)).toContain("used already");
  const [, metrics] = await relay.asks("/metrics");
  expect(metrics).toContain("# HELP");
  expect(metrics).not.toContain(CODE);
  const prompted = readFileSync(record, "utf8");
  expect(prompted).toContain("and after a restart");
  expect(prompted.split("hello").length).toBeGreaterThan(2);
  expect(prompted).not.toContain(CODE);
  expect(prompted).not.toContain("login.example");
  expect(relay.stderr).toContain("turn ended");
  expect(relay.stderr).not.toContain(CODE);
  expect(filesWith(relay.stateDir, "hello")).not.toEqual([]);
  expect(filesWith(relay.root, CODE)).toEqual([]);
});
