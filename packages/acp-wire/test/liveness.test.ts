import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentSupervisor } from "../src/index.ts";
import { allowedSilence, Liveness } from "../src/liveness.ts";
import { agentOptions, Listener, rawAgent } from "./agents.ts";
import { groupEnds } from "./group-members.ts";
import { rejection } from "./raw-peer.ts";

const text = (value: string) => [{ type: "text", text: value }] as const;
const stopTimings = { eofMs: 50, termMs: 50 };

describe("silence is allowed", () => {
  it.each([
    [
      "for ever to an agent that owes nothing",
      { calls: 0, cancelledPrompts: 0, prompts: 0 },
      undefined,
    ],
    ["for ever to one that works", { calls: 0, cancelledPrompts: 0, prompts: 3 }, undefined],
    [
      "for 8 s when all that it does was cancelled",
      { calls: 0, cancelledPrompts: 2, prompts: 0 },
      8_000,
    ],
    ["for 8 s also while a call waits", { calls: 1, cancelledPrompts: 1, prompts: 0 }, 8_000],
    ["for 60 s while only calls wait", { calls: 1, cancelledPrompts: 0, prompts: 0 }, 60_000],
    [
      "for 15 min while it works and a call waits",
      { calls: 1, cancelledPrompts: 0, prompts: 1 },
      900_000,
    ],
    [
      "for 15 min while it works on another prompt",
      { calls: 0, cancelledPrompts: 1, prompts: 1 },
      900_000,
    ],
  ])("%s", (_, owed, expected) => {
    expect(allowedSilence(owed)).toBe(expected);
  });
});

describe("an agent that owes an answer", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function watched() {
    const owed = { calls: 0, cancelledPrompts: 1, prompts: 0 };
    const seen = { paused: false, asked: 0, deaf: 0 };
    const liveness = new Liveness({
      limits: {},
      owed: () => owed,
      isPaused: () => seen.paused,
      ask: () => seen.asked++,
      onDeaf: () => seen.deaf++,
    });
    liveness.watch();
    return { owed, seen, liveness };
  }

  it("is asked when half of its time is over, and deaf at the end of it", () => {
    const { seen } = watched();
    vi.advanceTimersByTime(3_999);
    expect(seen).toMatchObject({ asked: 0, deaf: 0 });
    vi.advanceTimersByTime(1);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
    vi.advanceTimersByTime(3_999);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
    vi.advanceTimersByTime(1);
    expect(seen).toMatchObject({ asked: 1, deaf: 1 });
    vi.advanceTimersByTime(3_600_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 1 });
  });

  it("is never deaf once it was heard after it had been asked, whatever it still owes", () => {
    const { seen, liveness } = watched();
    vi.advanceTimersByTime(4_000);
    liveness.heard();
    vi.advanceTimersByTime(3_600_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
  });

  it("that goes on talking is not even asked", () => {
    const { seen, liveness } = watched();
    for (let second = 0; second < 100; second += 3) {
      liveness.heard();
      vi.advanceTimersByTime(3_000);
    }
    expect(seen).toMatchObject({ asked: 0, deaf: 0 });
  });

  it("is left alone when it owes nothing any more, and watched anew when it does", () => {
    const { seen, owed, liveness } = watched();
    vi.advanceTimersByTime(4_000);
    owed.cancelledPrompts = 0;
    vi.advanceTimersByTime(3_600_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
    owed.cancelledPrompts = 1;
    liveness.watch();
    vi.advanceTimersByTime(7_999);
    expect(seen).toMatchObject({ asked: 2, deaf: 0 });
    vi.advanceTimersByTime(1);
    expect(seen.deaf).toBe(1);
  });

  it("has fifteen minutes while it works on something else", () => {
    const { seen, owed } = watched();
    owed.prompts = 1;
    vi.advanceTimersByTime(899_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
    vi.advanceTimersByTime(1_000);
    expect(seen.deaf).toBe(1);
  });

  it("that was silent for long because it worked has its time from the cancel on", () => {
    const { seen, owed } = watched();
    Object.assign(owed, { cancelledPrompts: 1, prompts: 1 });
    vi.advanceTimersByTime(60_000);
    owed.prompts = 0;
    vi.advanceTimersByTime(1_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
    vi.advanceTimersByTime(4_000);
    expect(seen.deaf).toBe(1);
  });

  it("is not blamed while it is this side that does not read", () => {
    const { seen } = watched();
    seen.paused = true;
    vi.advanceTimersByTime(3_600_000);
    expect(seen).toMatchObject({ asked: 0, deaf: 0 });
  });

  it("is not blamed when it is this process that slept", () => {
    const { seen } = watched();
    vi.advanceTimersByTime(4_000);
    const now = performance.now();
    // An hour passes in which no timer fires.
    vi.spyOn(performance, "now").mockImplementation(() => now + 3_600_000 + 1_000);
    vi.advanceTimersByTime(1_000);
    expect(seen).toMatchObject({ asked: 1, deaf: 0 });
  });
});

describe("an agent that is stopped", () => {
  it("fails its cancelled prompt, and no process is left", async () => {
    const onWarning = vi.fn();
    const options = { silence: { cancelledMs: 300 }, stopTimings, onWarning };
    await using agent = await rawAgent([], options);
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    const prompt = rejection(agent.prompt(sessionId, text("hang")));
    process.kill(agent.pid, "SIGSTOP");
    await agent.cancel(sessionId);
    expect(await prompt).toMatchObject({
      code: "agent_exited",
      phase: "prompt",
      sent: true,
      exit: { cause: "unresponsive", signal: "SIGKILL" },
      chatText: "The agent stopped responding while it worked on the answer (signal SIGKILL).",
    });
    expect(onWarning).toHaveBeenCalledTimes(1);
    await groupEnds(agent.pid);
  });

  it("fails the call that waits for it", async () => {
    await using agent = await rawAgent([], { silence: { callMs: 300 }, stopTimings });
    process.kill(agent.pid, "SIGSTOP");
    expect(await rejection(agent.newSession("/tmp", new Listener()))).toMatchObject({
      code: "agent_exited",
      phase: "session",
      exit: { cause: "unresponsive" },
    });
  });

  it("and goes on in time answers as if nothing had been", async () => {
    await using agent = await rawAgent([], { silence: { callMs: 20_000 }, stopTimings });
    process.kill(agent.pid, "SIGSTOP");
    const opened = agent.newSession("/tmp", new Listener());
    process.kill(agent.pid, "SIGCONT");
    expect(await opened).toMatchObject({ sessionId: "s1" });
    expect(agent.usable).toBe(true);
  });

  it("is replaced: a call made meanwhile waits for the new process", async () => {
    await using agent = new AgentSupervisor(
      agentOptions("raw-agent.mjs", [], {
        silence: { cancelledMs: 300 },
        stopTimings: { eofMs: 200, termMs: 200 },
      }),
    );
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    const frozen = agent.running;
    const prompt = rejection(agent.prompt(sessionId, text("hang")));
    process.kill(frozen?.pid ?? 0, "SIGSTOP");
    await agent.cancel(sessionId);
    await vi.waitFor(() => expect(frozen?.usable).toBe(false), { timeout: 10_000, interval: 5 });
    // The frozen process is still there, and not asked any more.
    expect(agent.running).toBe(frozen);
    const listener = new Listener();
    const next = await agent.newSession("/tmp", listener);
    expect(await prompt).toMatchObject({ exit: { cause: "unresponsive" } });
    expect(agent.running?.pid).not.toBe(frozen?.pid);
    expect(await agent.prompt(next.sessionId, text("go"))).toEqual({ stopReason: "end_turn" });
  });
});

describe("a healthy agent", () => {
  it("that does not end its cancelled prompt is asked, answers, and lives", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let ping: unknown;
    await using agent = await rawAgent(["ignore-cancel"], {
      silence: { cancelledMs: 4_000 },
      trace: (direction, message) => {
        const { id, method } = message as { id?: unknown; method?: string };
        if (method === "_acp-kit.dev/ping") {
          ping = id;
          asked.resolve();
        } else if (direction === "in" && ping !== undefined && id === ping) answered.resolve();
      },
    });
    const { sessionId } = await agent.newSession("/tmp", new Listener());
    void rejection(agent.prompt(sessionId, text("hang")));
    await agent.cancel(sessionId);
    await asked.promise;
    await answered.promise;
    expect(agent.usable).toBe(true);
    expect(await agent.newSession("/tmp", new Listener())).toMatchObject({ sessionId: "s2" });
  });
});
