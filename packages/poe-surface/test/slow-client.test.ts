import { describe, expect, test } from "vitest";
import { RESPONSE_LIMITS } from "../src/index.ts";
import { askAndNeverRead } from "./never-read.ts";
import { finished, KEY, Rig } from "./rig.ts";

const ROOM = { parkTextCharacters: 1e9, parkEvents: 1e9 };

describe("a client that never reads", () => {
  test("loses its connection when a write has waited for the deadline, and not before", async () => {
    await using rig = await Rig.open({
      limits: { ...ROOM, writeTimeoutMs: 400, graceAfterOutputMs: 60_000 },
    });
    const socket = askAndNeverRead(rig.port, KEY, "c-stuck");
    const prompt = await rig.agent.prompted(1);
    // Loopback swallows a few MiB before a write has to wait.
    prompt.say("x".repeat(16 * 1024 * 1024));
    const blockedAt = performance.now();
    await rig.gone();
    expect(performance.now() - blockedAt).toBeGreaterThan(390);
    expect(prompt.isCancelled).toBe(false);
    prompt.end();
    socket.destroy();
  });

  test("does not hold up another message, nor the turn", async () => {
    await using rig = await Rig.open({ limits: { ...ROOM, writeTimeoutMs: 60_000 } });
    const socket = askAndNeverRead(rig.port, KEY, "c-stuck");
    const prompt = await rig.agent.prompted(1);
    prompt.say("x".repeat(16 * 1024 * 1024));
    const other = rig.ask("hi");
    const beside = await rig.agent.prompted(2);
    beside.say("here");
    beside.end();
    expect(await finished(other)).toBe("here");
    prompt.end();
    await prompt.result;
    socket.destroy();
    await rig.gone();
  });

  test("has 30 s, if nobody says otherwise", () => {
    expect(RESPONSE_LIMITS.writeTimeoutMs).toBe(30_000);
  });
});

test("a client that reads slowly keeps its connection", async () => {
  await using rig = await Rig.open({ limits: { ...ROOM, writeTimeoutMs: 1_000 } });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  await query.waitFor((one) => one.body() !== "");
  for (let round = 0; round < 4; round += 1) {
    query.pause();
    prompt.say("x".repeat(8 * 1024 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 300));
    query.resume();
    const wanted = (round + 1) * 8 * 1024 * 1024;
    await query.waitFor((one) => one.body().length === wanted, 20_000);
  }
  prompt.end();
  // More text than the platform takes: only the connection is looked at here.
  expect((await query.done).how).toBe("done");
  expect(query.body().length).toBe(32 * 1024 * 1024);
});
