import { existsSync } from "node:fs";
import { promptsIn, readRecord, scripts } from "@acp-kit/testkit";
import { describe, expect, test, vi } from "vitest";
import { RelayProcess, SOON_MS } from "./relay-process.ts";

// Processes of several kinds start in each test.
vi.setConfig({ testTimeout: 60_000 });

describe("a relay with a key and no access rule", () => {
  test("prints what would admit somebody, and tells a stranger their id without starting the agent", async () => {
    await using relay = await RelayProcess.start({ config: {}, agent: scripts.echo() });
    expect(relay.stdout).toContain('"access": [{ "users": ["THEIR-ID"], "role": "operator" }]');
    const query = relay.poe.query({ text: "hello", userId: "u-stranger" });
    expect((await query.done).how).toBe("done");
    expect(query.body()).toContain("Your id is `u-stranger`");
    expect(query.violations).toEqual([]);
    expect(existsSync(relay.record)).toBe(false);
  });

  test("refuses another key before anything else", async () => {
    await using relay = await RelayProcess.start({ config: {}, agent: scripts.echo() });
    const reply = await relay.poe.post({ type: "query" }, `Bearer ${"x".repeat(32)}`);
    expect(reply.status).toBe(401);
  });
});

describe("SIGTERM", () => {
  test("ends an open response with text and an error that allows to retry, then agent and relay", async () => {
    await using relay = await RelayProcess.start({ agent: scripts.lateReply(600_000) });
    const query = relay.poe.query({ text: "hello" });
    await query.waitFor((one) => one.body().includes("said"), SOON_MS);
    relay.kill("SIGTERM");
    expect((await query.done).how).toBe("done");
    expect(query.body()).toMatch(/said\n\n.*restarting/);
    const [error, done] = query.frames.flatMap((one) => ("event" in one ? [one] : [])).slice(-2);
    expect(error).toMatchObject({ event: "error", data: { allow_retry: true } });
    expect(done?.event).toBe("done");
    expect(query.violations).toEqual([]);
    expect(await relay.ends()).toBe(0);
    expect(relay.stderr).toBe("");
  });
});

test("a message that is sent again while it is answered goes on from the text so far, with one prompt", async () => {
  await using relay = await RelayProcess.start({ agent: scripts.chunks(40, 4, 100) });
  const first = relay.poe.query({ text: "hello" });
  await first.waitFor((one) => one.body().includes("3..."), SOON_MS);
  const { requestId: _, ...ids } = first.ids;
  const second = relay.poe.query({ text: "hello", ...ids });
  expect((await second.done).how).toBe("done");
  expect((await first.done).how).toBe("cut");
  const text = Array.from({ length: 40 }, (_, at) => scripts.chunkText(at + 1, 4)).join("");
  expect(second.body()).toContain(text);
  expect(second.violations).toEqual([]);
  expect(promptsIn(readRecord(relay.record))).toHaveLength(1);
});
