import { type ManualClock, waitFor } from "@acp-kit/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createSlackCaller,
  createSlackSocketOpener,
  type SocketEnd,
  type SocketEnvelope,
  SocketSupervisor,
} from "../../src/index.ts";
import { startSlack } from "../rig.ts";

type Options = { readonly connections?: number; readonly appToken?: string };

async function start({ connections = 2, appToken }: Options = {}) {
  const rig = await startSlack();
  const { slack, clock } = rig;
  const envelopes: SocketEnvelope[] = [];
  const ends: SocketEnd[] = [];
  let signs = 0;
  const call = createSlackCaller({ token: appToken ?? slack.app.appToken, apiUrl: slack.apiUrl });
  const supervisor = new SocketSupervisor({
    open: createSlackSocketOpener({ call, clock }),
    clock,
    connections,
    onEnvelope: (envelope) => {
      envelopes.push(envelope);
      envelope.ack();
    },
    onSign: () => {
      signs += 1;
    },
    onEnd: (end) => ends.push(end),
    random: () => 0.999,
  });
  onTestFinished(() => supervisor[Symbol.dispose]());
  const ready = (count: number) =>
    waitFor(`${count} connections`, () => supervisor.health.ready === count);
  /** Pings every connection; resolves when that has come. */
  const ping = async () => {
    const wanted = signs + slack.socketMode.ready;
    slack.socketMode.ping();
    await waitFor("the pings", () => signs >= wanted);
  };
  return { ...rig, supervisor, envelopes, ends, ready, ping };
}

/** Moves on until a probe holds: what is over the network takes its own time. */
async function moveUntil(clock: ManualClock, what: string, probe: () => boolean): Promise<void> {
  await waitFor(what, () => {
    if (probe()) return true;
    clock.advance(1_000);
    return false;
  });
}

test("two connections are kept, and share what comes", async () => {
  const { slack, ready, envelopes } = await start();
  await ready(2);
  for (let each = 0; each < 4; each += 1) slack.person("U0ANA").say("D0ANA", `m${each}`);
  await slack.settled();
  expect(envelopes).toHaveLength(4);
  expect(slack.deliveries.every(({ state }) => state === "acknowledged")).toBe(true);
});

test("an acknowledgement may carry an answer, counts once, and does nothing when it is late", async () => {
  const { slack, clock, ready, envelopes, ends } = await start({ connections: 1 });
  await ready(1);
  const done = slack.person("U0ANA").slash("C0SHOP", "/agent");
  await done;
  const [envelope] = envelopes;
  expect(envelope?.kind).toBe("slash_commands");
  envelope?.ack({ text: "again" });
  slack.socketMode.cut();
  await moveUntil(clock, "the end", () => ends.length === 1);
  expect(() => envelope?.ack({ text: "late" })).not.toThrow();
});

test("a refresh leaves no moment without a connection, and loses nothing", async () => {
  const { slack, clock, ready, supervisor, envelopes } = await start();
  await ready(2);
  clock.advance(10_000);
  slack.socketMode.ping();
  slack.socketMode.refresh("warning");
  await waitFor("the new ones", () => slack.socketMode.greeted === 4);
  expect(slack.socketMode.ready).toBe(4);
  slack.person("U0ANA").say("D0ANA", "in between");
  await slack.settled();
  expect(envelopes).toHaveLength(1);
  expect(supervisor.health.ready).toBe(2);
});

test("connections that the platform closes are there again at once", async () => {
  const { slack, clock, ready } = await start();
  await ready(2);
  clock.advance(10_000);
  slack.socketMode.refresh("refresh_requested");
  // The clock stands still: nothing was waited for.
  await waitFor("the new ones", () => slack.socketMode.ready === 2);
});

describe("after a failure, another connection is tried", () => {
  test("when one is cut", async () => {
    const { slack, clock, ready, ends } = await start();
    await ready(2);
    slack.socketMode.cut();
    await moveUntil(clock, "new ones", () => slack.socketMode.greeted === 4);
    expect(ends).toHaveLength(2);
  });

  test("when one is not greeted within 15 s", async () => {
    const { slack, clock, ready, ends } = await start();
    await ready(2);
    slack.socketMode.failNext("no-hello", 2);
    slack.socketMode.cut();
    await moveUntil(clock, "new ones", () => slack.socketMode.greeted === 4);
    expect(ends.filter(({ kind }) => kind === "silent")).toHaveLength(2);
  });

  test.each(["early-disconnect", "refuse"] as const)("when it meets: %s", async (fault) => {
    const { slack, clock, ready } = await start();
    await ready(2);
    slack.socketMode.failNext(fault, 3);
    slack.socketMode.cut();
    await moveUntil(clock, "new ones", () => slack.socketMode.greeted === 4);
    await ready(2);
  });

  test("when the platform gives no address", async () => {
    const { slack, clock, ready } = await start();
    await ready(2);
    slack.fail("apps.connections.open", { kind: "error", error: "internal_error" });
    slack.fail("apps.connections.open", { kind: "answer", status: 500, body: "" });
    slack.fail("apps.connections.open", { kind: "break" });
    slack.fail("apps.connections.open", { kind: "rate-limit", retryAfterS: 1 });
    slack.socketMode.cut();
    await moveUntil(clock, "new ones", () => slack.socketMode.greeted === 4);
  });

  test("for ever, and at most 30 s later", async () => {
    const { slack, clock, ready } = await start({ connections: 1 });
    await ready(1);
    slack.fail("apps.connections.open", { kind: "error", error: "fatal_error" }, 11);
    slack.socketMode.cut();
    await moveUntil(clock, "a new one", () => slack.socketMode.greeted === 2);
    const at = slack.calls.map((call) => call.at);
    const waits = at.slice(1).map((each, index) => each - (at[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(32_000);
    expect(waits.filter((wait) => wait >= 29_000).length).toBeGreaterThan(2);
  });
});

test("30 s without a ping are the end of a connection, and a ping puts it off", async () => {
  const { slack, clock, ready, supervisor, ends, ping } = await start({ connections: 1 });
  await ready(1);
  clock.advance(29_000);
  // Nothing else comes: whatever an event puts off, this does not show.
  await ping();
  clock.advance(29_000);
  expect(ends).toEqual([]);
  slack.socketMode.stall();
  clock.advance(1_000);
  await waitFor("the end", () => ends.length === 1);
  expect(ends).toEqual([{ kind: "silent" }]);
  await ready(1);
  expect(supervisor.health.ready).toBe(1);
});

test("a token that is refused is a state of health, and is tried again", async () => {
  const { slack, clock, supervisor, ends } = await start({ appToken: "xapp-wrong" });
  await waitFor("the refusal", () => ends.length === 2);
  expect(supervisor.health).toEqual({ ready: 0, refused: "invalid_auth", others: 0 });
  await moveUntil(clock, "more attempts", () => ends.length >= 6);
  expect(slack.calls.every(({ outcome }) => outcome === "invalid_auth")).toBe(true);
});

test("too many connections are said to be that", async () => {
  const { slack, ends } = await start({ connections: 11 });
  await waitFor("the eleventh", () => ends.length === 1);
  expect(ends).toEqual([{ kind: "too-many" }]);
  expect(slack.socketMode.ready).toBe(10);
});

test("disposing ends all connections, and opens no other", async () => {
  const { slack, clock, ready, supervisor } = await start();
  await ready(2);
  const calls = slack.calls.length;
  supervisor[Symbol.dispose]();
  await waitFor("the end", () => slack.socketMode.ready === 0);
  clock.advance(600_000);
  expect(slack.calls).toHaveLength(calls);
});
