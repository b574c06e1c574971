import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { expect, onTestFinished, test } from "vitest";
import { AgentRig, outcomeOf, textOf } from "./agent-rig.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));
const script = {
  prompt: [
    { kind: "text", text: "heard {{prompt}}" },
    { kind: "when", says: "wait", steps: [{ kind: "wait" }] },
  ],
};

/** An agent that may be deaf for moments only. */
function createAgent(): AgentSupervisor {
  const directory = mkdtempSync(path.join(tmpdir(), "frozen-agent-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, "script.json");
  writeFileSync(file, JSON.stringify(script));
  return new AgentSupervisor({
    command: [process.execPath, "--conditions=@acp-kit/source", demoAgent, "--script", file],
    hostEnv: process.env,
    clientInfo: { name: "router-test", version: "0" },
    stopTimings: { eofMs: 100, termMs: 100 },
    silence: { cancelledMs: 400, callMs: 3_000 },
  });
}

test("a frozen agent ends the turn that is cancelled, and the next one has a new process", async () => {
  await using agent = createAgent();
  await using rig = new AgentRig(script, { agent });
  const running = await rig.run("wait", { until: "text" });
  const turn = running.at(-1)?.turn ?? "";
  const frozen = agent.running?.pid ?? 0;
  process.kill(frozen, "SIGSTOP");
  await rig.router.submit("c", {
    kind: "cancel",
    key: "stop",
    user: "ana",
    turn,
    cause: "user",
    at: Date.now(),
  });
  expect(outcomeOf(await rig.follow(turn))).toEqual({ kind: "cancelled", cause: "user" });
  const next = await rig.run("again");
  expect(outcomeOf(next)).toMatchObject({ kind: "completed" });
  expect(textOf(next)).toContain("again");
  expect(agent.running?.pid).not.toBe(frozen);
});

test("a frozen agent that nobody has cancelled fails the turn that cannot attach, and no other after it", async () => {
  await using agent = createAgent();
  await using rig = new AgentRig(script, { agent });
  await rig.run("hello");
  process.kill(agent.running?.pid ?? 0, "SIGSTOP");
  const failed = await rig.run("hello", { conversation: "d" });
  expect(outcomeOf(failed)).toMatchObject({ kind: "agent-exited" });
  const next = await rig.run("again", { conversation: "d" });
  expect(outcomeOf(next)).toMatchObject({ kind: "completed" });
});
