import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { backoffMs } from "../src/backoff.ts";
import { AgentSupervisor, type SupervisorOptions, type WireError } from "../src/index.ts";
import { agentOptions, Listener } from "./agents.ts";

const text = (value: string) => [{ type: "text", text: value }] as const;
const failed = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

function supervise(options: Partial<SupervisorOptions> = {}, ...faults: string[]) {
  return new AgentSupervisor({
    ...agentOptions("raw-agent.mjs", faults, options),
    ...(options.waitMs !== undefined && { waitMs: options.waitMs }),
  });
}

describe("a supervised agent", () => {
  it("starts with the first call, and once for many", async () => {
    let starts = 0;
    await using agent = supervise({
      trace: (_, message) => {
        if ((message as { method?: string }).method === "initialize") starts++;
      },
    });
    expect(agent.running).toBeUndefined();
    expect(agent.capabilities).toEqual({});
    await Promise.all([agent.ready(), agent.newSession("/tmp", new Listener()), agent.ready()]);
    expect(agent.capabilities.loadSession).toBe(true);
    expect(starts).toBe(1);
  });

  it("that dies fails its prompt at once, tells that its sessions are gone, and comes back", async () => {
    await using agent = supervise();
    const order: string[] = [];
    agent.onExit((exit) => order.push(`exit ${exit.code}`));
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    const first = agent.running?.pid;
    const error = await failed(agent.prompt(sessionId, text("exit")));
    order.push("prompt rejected");
    expect(error).toMatchObject({ code: "agent_exited", exit: { code: 5 }, sent: true });
    expect(order).toEqual(["exit 5", "prompt rejected"]);
    expect(await failed(agent.prompt(sessionId, text("x")))).toMatchObject({ code: -32002 });
    await agent.cancel(sessionId);
    await agent.closeSession(sessionId);
    expect(agent.running).toBeUndefined();

    const again = performance.now();
    await agent.newSession("/tmp", new Listener());
    expect(performance.now() - again).toBeGreaterThan(400);
    expect(agent.running?.pid).not.toBe(first);
  });

  it("may be kept waiting or refused by whoever carries out its starts, and a refusal is no failure of it", async () => {
    let isRefused = true;
    const told: string[] = [];
    await using agent = supervise({
      waitMs: 1_000,
      aroundStart: async (start) => {
        if (isRefused) throw new Error("no room");
        told.push("before");
        const started = await start();
        told.push("behind");
        return started;
      },
    });
    for (let times = 0; times < 5; times++) {
      expect(await failed(agent.ready())).toMatchObject({ message: "no room" });
    }
    isRefused = false;
    await agent.ready();
    expect(told).toEqual(["before", "behind"]);
  });

  it("that never comes up fails each call with its cause, and the next one when it cannot wait", async () => {
    await using agent = supervise({ waitMs: 1_900, command: ["sh", "-c", "exit 3"] });
    const open = () => failed(agent.newSession("/tmp", new Listener()));
    expect(await open()).toMatchObject({ code: "agent_exited", exit: { code: 3 } });
    // The third pause is longer than any call may wait here.
    let error = (await open()) as WireError;
    while (error.code === "agent_exited") error = (await open()) as WireError;
    expect(error).toMatchObject({
      code: "unavailable",
      sent: false,
      cause: { code: "agent_exited" },
    });
  });

  it("that does not come up in time fails the waiting call, not the start", async () => {
    await using agent = supervise({ waitMs: 50, initializeTimeoutMs: 60_000 }, "never-initialize");
    expect(await failed(agent.ready())).toMatchObject({ code: "unavailable" });
  });

  it("is gone after dispose, even while it starts, and refuses calls", async () => {
    const trace = vi.fn();
    const agent = supervise(
      { initializeTimeoutMs: 60_000, trace },
      "never-initialize",
      "ignore-eof",
    );
    const start = failed(agent.ready());
    await vi.waitFor(() => expect(trace).toHaveBeenCalled());
    await agent[Symbol.asyncDispose]();
    expect(await start).toMatchObject({ code: "closed" });
    expect(await failed(agent.newSession("/tmp", new Listener()))).toMatchObject({
      code: "closed",
    });
  });
});

describe("the pause before a restart", () => {
  it("grows from 1 s to 60 s, less up to a half", () => {
    const full = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => backoffMs(failures, 0));
    expect(full).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const pause = backoffMs(failures, random);
          const full = backoffMs(failures, 0);
          expect(pause).toBeLessThanOrEqual(full);
          expect(pause).toBeGreaterThanOrEqual(full / 2);
        },
      ),
    );
  });
});
