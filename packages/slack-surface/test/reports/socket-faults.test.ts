import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { FakeSlack, type SlackFault, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("socket-process.ts", import.meta.url));

/** A process that is connected, with a clock that is the system's. */
async function start(whose: "theirs" | "ours") {
  const slack = await FakeSlack.start();
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const args = ["--conditions=@acp-kit/source", program, whose, slack.apiUrl, slack.app.appToken];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const ended = once(child, "close");
  await waitFor("the connection", () => slack.socketMode.ready === 1, 20_000);
  return { slack, child, ended, stderr: () => stderr };
}

const faults: readonly SlackFault[] = [
  { kind: "error", error: "invalid_auth" },
  { kind: "answer", status: 500, body: "" },
  { kind: "break" },
];

test("a reconnect that fails ends the process of Slack's client, and never ours", async () => {
  const [ours, ...theirs] = await Promise.all([
    start("ours"),
    ...faults.map(() => start("theirs")),
  ]);
  for (const fault of faults) ours.slack.fail("apps.connections.open", fault);
  ours.slack.socketMode.cut();
  for (const [at, { slack, ended, stderr }] of theirs.entries()) {
    slack.fail("apps.connections.open", faults[at] as SlackFault, 2);
    slack.socketMode.cut();
    const [code] = await waitFor("their end", ended);
    expect(code).toBe(1);
    expect(stderr()).toMatch(/WebAPI(Platform|HTTP|Request)Error/);
  }
  await waitFor("a new one", () => ours.slack.socketMode.greeted === 2, 10_000);
  ours.slack.person("U0ANA").say("D0ANA", "hello");
  await ours.slack.settled();
  expect(ours.slack.deliveries.map(({ state }) => state)).toEqual(["acknowledged"]);
  expect([ours.child.exitCode, ours.stderr()]).toEqual([null, ""]);
});
