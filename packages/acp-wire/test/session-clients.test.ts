import { describe, expect, it, vi } from "vitest";
import { SessionClients } from "../src/session-clients.ts";
import { Listener } from "./agents.ts";

const update = (sessionId: string, text: string) => ({
  sessionId,
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } as const,
});

describe("updates before their session is known", () => {
  it.each([
    ["10,000 in number", 10_000, "x"],
    ["16 MiB in size", 15, "x".repeat(1024 * 1024)],
  ])("are kept up to %s; the others are strays", async (_, most, text) => {
    const onStray = vi.fn();
    const clients = new SessionClients({ onError: () => {}, onStray });
    const listener = new Listener();
    await clients.whileOpening(async () => {
      for (let at = 0; at < most + 5; at++) clients.update(update("s", text));
      expect(onStray).toHaveBeenCalledTimes(5);
      clients.add("s", listener);
    });
    expect(listener.updates).toHaveLength(most);
    // What was kept counts no more.
    await clients.whileOpening(async () => {
      clients.update(update("t", text));
      clients.add("t", listener);
    });
    expect(listener.updates).toHaveLength(most + 1);
  });
});

describe("a message that was left out", () => {
  it("and names no session is told to those that have a prompt", async () => {
    const clients = new SessionClients({ onError: () => {} });
    const [busy, idle] = [vi.fn(), vi.fn()];
    clients.add("busy", Object.assign(new Listener(), { lost: busy }));
    clients.add("idle", Object.assign(new Listener(), { lost: idle }));
    await clients.whilePrompting("busy", async () => clients.lose(undefined));
    expect([busy.mock.calls.length, idle.mock.calls.length]).toEqual([1, 0]);
    clients.lose("idle");
    expect([busy.mock.calls.length, idle.mock.calls.length]).toEqual([1, 1]);
  });
});
