import { expect, test } from "vitest";
import { Metrics } from "../src/metrics.ts";

test("what came in and what the router measures is served in Prometheus' format", async () => {
  const metrics = new Metrics();
  metrics.countInbound({ surface: "poe", bot: "shop", decision: "run", reason: "prompt" });
  metrics.take({ kind: "turn", conversation: "c", turn: "t", outcome: "completed", ms: 1_500 });
  metrics.take({ kind: "queue-depth", conversation: "c", depth: 2 });
  metrics.take({ kind: "first-event", conversation: "c", turn: "t", ms: 10 });
  metrics.take({ kind: "recovery", conversation: "c", cause: "lost" });
  metrics.take({ kind: "redrive", conversation: "c", turn: "t", delayMs: 10 });
  metrics.countFailure();
  const { text, contentType } = await metrics.format(3, [
    { bot: "chat", isWell: true, text: "", connections: 2 },
    { bot: "shop", isWell: true, text: "" },
  ]);
  expect(contentType).toMatch(/^text\/plain/);
  for (const line of [
    'acp_relay_inbound_total{surface="poe",bot="shop",decision="run",reason="prompt"} 1',
    'acp_relay_turn_seconds_count{outcome="completed"} 1',
    'acp_relay_session_recoveries_total{cause="lost"} 1',
    "acp_relay_redrive_seconds_count 1",
    "acp_relay_queue_depth_sum 2",
    "acp_relay_first_event_seconds_count 1",
    "acp_relay_failures_total 1",
    "acp_relay_sessions 3",
    'acp_relay_connections{bot="chat"} 2',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).not.toContain('acp_relay_connections{bot="shop"}');
});

test("C27: no label holds an id or a text of a person, a conversation or a turn", async () => {
  const metrics = new Metrics();
  metrics.countInbound({
    ...{ surface: "poe", bot: "shop", decision: "run", reason: "prompt" },
    // What else an event carries.
    ...{ conversation: "planted-c", user: "planted-u", message: "planted-m" },
  });
  metrics.take({
    kind: "turn",
    conversation: "planted-c",
    turn: "planted-t",
    outcome: "failed",
    ms: 1,
  });
  metrics.take({ kind: "redrive", conversation: "planted-c", turn: "planted-t", delayMs: 1 });
  expect((await metrics.format(0)).text).not.toContain("planted");
});
