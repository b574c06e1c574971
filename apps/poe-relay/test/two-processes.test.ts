import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { scripts, waitFor } from "@acp-kit/testkit";
import { describe, expect, test, vi } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 4 * SOON_MS });

/** Enough for the turn to outlast a hand-over on a machine that has other things to do: 15 s. */
const COUNT = 300;

/** Says who it is, then what the message asks for. */
const agent = {
  prompt: [
    { kind: "text", text: "{{pid}} {{session}}\n\n" },
    { kind: "when", says: "ask", steps: scripts.question().prompt },
    { kind: "when", says: "wait", steps: [{ kind: "wait" }] },
    {
      kind: "when",
      says: "count",
      steps: scripts.chunks(COUNT, 4, 50).prompt,
      otherwise: [{ kind: "text", text: "heard {{prompt}}" }],
    },
  ],
} as const;

const counted = Array.from({ length: COUNT }, (_, at) => scripts.chunkText(at + 1, 4)).join("");

/** What each answer of the script begins with. */
const header = (body: string) => {
  const [, pid = "", session = ""] = /^(\d+) (\S+)/.exec(body) ?? [];
  return { pid, session };
};

describe("while one process finishes a turn and the next one serves", () => {
  test("a message that is sent again is shown by the new process, from the text so far, and prompted once", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "count" });
    await first.waitFor((one) => one.body().includes("9..."), SOON_MS);
    await relay.handOver();
    const { requestId: _, ...ids } = first.ids;
    const again = relay.poe.query({ text: "count", ...ids });
    expect((await first.done).how).toBe("cut");
    expect((await again.done).how).toBe("done");
    expect(again.body()).toContain(counted);
    expect(again.violations).toEqual([]);
    expect(relay.prompts).toEqual(["count"]);
    await waitFor("the old process to end", () => relay.generations.length === 1, SOON_MS);
  });

  test("a message that comes after its client has gone is Stop, and runs in the same session", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "wait" });
    await first.waitFor((one) => /^\d/.test(one.body()), SOON_MS);
    await relay.handOver();
    await first.close();
    const next = relay.poe.query({ conversation: first.ids.conversation, text: "go on" });
    expect((await next.done).how).toBe("done");
    expect(next.body()).toMatch(/heard go on$/);
    const [before, after] = [header(first.body()), header(next.body())];
    expect(after.session).toBe(before.session);
    expect(after.pid).not.toBe(before.pid);
  });

  test("!stop ends the turn of the old process", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "wait" });
    await first.waitFor((one) => /^\d/.test(one.body()), SOON_MS);
    await relay.handOver();
    const stop = relay.poe.query({ conversation: first.ids.conversation, text: "!stop" });
    expect((await stop.done).how).toBe("done");
    expect(stop.body()).toContain("Stopped.");
    expect((await first.done).how).toBe("done");
    await waitFor("the old process to end", () => relay.generations.length === 1, SOON_MS);
  });

  test("an answer reaches the agent of the old process, and the rest is shown by the new one", async () => {
    await using relay = await KeptRelay.start(agent);
    const asked = relay.poe.query({ text: "ask" });
    expect((await asked.done).how).toBe("done");
    await relay.handOver();
    const { conversation } = asked.ids;
    const answer = relay.poe.query({ conversation, text: "1" });
    expect((await answer.done).how).toBe("done");
    expect(answer.body()).toContain("ask-1: yes");
    await waitFor("the old process to end", () => relay.generations.length === 1, SOON_MS);
    const next = relay.poe.query({ conversation, text: "next" });
    expect((await next.done).how).toBe("done");
    expect(header(next.body()).session).toBe(header(asked.body()).session);
    expect(relay.prompts).toEqual(["ask", "next"]);
  });

  test("a new message waits for the turn of the old process, and runs in the new one", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "count" });
    await first.waitFor((one) => one.body().includes("9..."), SOON_MS);
    await relay.handOver();
    const { conversation } = first.ids;
    const next = relay.poe.query({ conversation, text: "next" });
    await next.waitFor((one) => one.body().includes("Queued behind: *count*"), SOON_MS);
    expect((await first.done).how).toBe("done");
    expect(first.body()).toContain(counted);
    expect((await next.done).how).toBe("done");
    expect(next.body()).toMatch(/heard next$/);
    expect(next.body()).not.toContain("9...");
    expect(header(next.body()).pid).not.toBe(header(first.body()).pid);
  });

  test("an old process that is killed is taken over within a second", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "wait" });
    await first.waitFor((one) => /^\d/.test(one.body()), SOON_MS);
    const [old = 0] = relay.generations;
    await relay.handOver();
    const killedAt = Date.now();
    process.kill(old, "SIGKILL");
    await first.done;
    const again = relay.poe.query({ text: "wait", ...first.ids });
    expect((await again.done).how).toBe("done");
    expect(again.body()).toMatch(/interrupted/i);
    expect(relay.prompts).toEqual(["wait"]);
    expect(await endedAt(relay, "interrupted")).toBeLessThan(killedAt + 1_000);
  });

  test("an old process that is stopped keeps its turn, and goes on with it", async () => {
    await using relay = await KeptRelay.start(agent);
    const first = relay.poe.query({ text: "count" });
    await first.waitFor((one) => one.body().includes("9..."), SOON_MS);
    const [old = 0] = relay.generations;
    await relay.handOver();
    await stopBetweenWrites(relay, old);
    const { requestId: _, ...ids } = first.ids;
    const again = relay.poe.query({ text: "count", ...ids });
    await again.waitFor((one) => one.body().includes("9..."), SOON_MS);
    const other = relay.poe.query({ text: "hello" });
    expect((await other.done).how).toBe("done");
    process.kill(old, "SIGCONT");
    expect((await again.done).how).toBe("done");
    expect(again.body()).toContain(counted);
    expect(again.body()).not.toMatch(/interrupted/i);
  });
});

test("a process that has lost its conversation sends nothing more of it, and its agent is told to stop", async () => {
  await using relay = await KeptRelay.start(agent);
  const first = relay.poe.query({ text: "count" });
  await first.waitFor((one) => one.body().includes("9..."), SOON_MS);
  const { conversation } = first.ids;
  expect(await relay.run("erase", "--conversation", conversation)).toMatchObject({ code: 0 });
  // What stands below the answer while it is written goes again.
  const [lost = ""] = first.body().split("\n\n> _");
  await first.done;
  expect(first.body()).toContain(lost);
  expect(first.body()).not.toContain(scripts.chunkText(COUNT, 4));
  const next = relay.poe.query({ conversation, text: "next" });
  expect((await next.done).how).toBe("done");
  expect(next.body()).toMatch(/heard next$/);
  expect(header(next.body()).session).not.toBe(header(lost).session);
});

/** When the only turn of the only conversation ended so, in milliseconds since the epoch. */
async function endedAt(relay: KeptRelay, outcome: string): Promise<number> {
  const { stdout: list } = await relay.run("sessions", "list");
  const [, conversation = ""] = /(poe\/poe\/\S+)/.exec(list) ?? [];
  const { stdout } = await relay.run("sessions", "export", conversation);
  const items = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const end = items.find(
    ({ event }) => event?.kind === "turn-end" && event.outcome.kind === outcome,
  );
  return end.event.at;
}

/** Stops a process that writes nothing at that moment: within a write it would keep the lock, and everybody waiting. */
async function stopBetweenWrites(relay: KeptRelay, pid: number): Promise<void> {
  const files = ["store.db", "relay.db"].map((name) => path.join(relay.stateDir, name));
  for (;;) {
    process.kill(pid, "SIGSTOP");
    if (files.every(isWritable)) return;
    process.kill(pid, "SIGCONT");
    await setTimeout(20);
  }
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 500; BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
