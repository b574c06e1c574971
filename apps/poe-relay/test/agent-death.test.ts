import { collectOrphans, scripts } from "@acp-kit/testkit";
import { expect, test, vi } from "vitest";
import { RelayProcess, SOON_MS } from "./relay-process.ts";

// Processes of several kinds start in each test.
vi.setConfig({ testTimeout: 60_000 });

/** Says something, writes what nobody in a chat should read to stderr, and waits. */
const hanging = {
  prompt: [
    { kind: "text", text: "Let me see." },
    { kind: "print", to: "stderr", text: "fatal: /etc/agent/token is unreadable" },
    { kind: "wait" },
  ],
} as const;

test("kill -9 of the agent in the middle of a turn is said, and the next message works", async () => {
  await using relay = await RelayProcess.start({
    agent: scripts.firstProcess(hanging, scripts.echo()),
  });
  const query = relay.poe.query({ text: "hello" });
  await query.waitFor((one) => one.body().includes("Let me see."), SOON_MS);
  process.kill(relay.agentPid, "SIGKILL");
  expect((await query.done).how).toBe("done");
  expect(query.body()).toMatch(
    /^Let me see\.\n\n⚠️ The agent stopped unexpectedly while answering \(signal SIGKILL\)\. Your next message starts it again\. \(ref [0-9A-Z]{4}\)$/,
  );
  expect(query.violations).toEqual([]);

  const next = relay.poe.query({ conversation: query.ids.conversation, text: "and now?" });
  expect((await next.done).how).toBe("done");
  expect(next.body()).toContain("and now?");
  expect(next.body()).not.toContain("Let me see.");
});

test.each([
  ["while starting", scripts.dieAtStart(9), 9],
  ["while answering", scripts.dieAfter(3, { code: 3 }), 3],
] as const)(
  "an agent that ends by itself %s is said with its exit code",
  async (phase, dying, code) => {
    await using relay = await RelayProcess.start({
      agent: scripts.firstProcess(dying, scripts.echo()),
    });
    const query = relay.poe.query({ text: "hello" });
    expect((await query.done).how).toBe("done");
    expect(query.body()).toContain(`The agent stopped unexpectedly ${phase} (exit code ${code}).`);
    expect(query.body()).not.toMatch(/fatal|\//);
    const next = relay.poe.query({ conversation: query.ids.conversation, text: "again" });
    expect((await next.done).how).toBe("done");
    expect(next.body()).toContain("again");
  },
);

test("an agent that ignores end of input and SIGTERM outlives a killed relay by less than 2 s", async () => {
  await using relay = await RelayProcess.start({
    agent: { ...hanging, ignore: ["eof", "sigterm"] },
  });
  const query = relay.poe.query({ text: "hello" });
  await query.waitFor((one) => one.body().includes("Let me see."), SOON_MS);
  relay.kill("SIGKILL");
  expect(await collectOrphans(relay.root, 2_000)).toEqual([]);
  expect(await relay.ends()).toBe("SIGKILL");
});
