import type { RouterMetric } from "@acp-kit/router";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { InboundCounter } from "./journal/journal.ts";
import type { BotHealth } from "./surface.ts";

/**
 * What this process counts and times. Labels are words of fixed sets and names of the configuration: never an id or a
 * text of a person, a conversation or an agent.
 */
export class Metrics {
  readonly #measures = new Registry();
  readonly #inbound = new Counter({
    name: "acp_relay_inbound_total",
    help: "Requests and events that came in, by what became of them.",
    labelNames: ["surface", "bot", "decision", "reason"],
    registers: [this.#measures],
  });
  readonly #failures = new Counter({
    name: "acp_relay_failures_total",
    help: "Failures that were given a reference.",
    registers: [this.#measures],
  });
  readonly #turns = new Histogram({
    name: "acp_relay_turn_seconds",
    help: "From the start of a turn to its end.",
    labelNames: ["outcome"],
    buckets: [1, 5, 15, 60, 300, 900, 3_600],
    registers: [this.#measures],
  });
  readonly #firstEvents = new Histogram({
    name: "acp_relay_first_event_seconds",
    help: "From a message to the agent's first word, thought or tool call.",
    buckets: [0.1, 0.5, 1, 2, 5, 15, 60, 300],
    registers: [this.#measures],
  });
  readonly #queueDepths = new Histogram({
    name: "acp_relay_queue_depth",
    help: "Turns that wait or run in a conversation when a message comes, itself included.",
    buckets: [1, 2, 4, 8, 16, 32],
    registers: [this.#measures],
  });
  readonly #recoveries = new Counter({
    name: "acp_relay_session_recoveries_total",
    help: "Sessions that had to be had again.",
    labelNames: ["cause"],
    registers: [this.#measures],
  });
  readonly #redrives = new Histogram({
    name: "acp_relay_redrive_seconds",
    help: "How long after a message the platform sent it again.",
    buckets: [1, 5, 15, 60, 300, 900],
    registers: [this.#measures],
  });

  readonly #sessions = new Gauge({
    name: "acp_relay_sessions",
    help: "Conversations with an attached session.",
    registers: [this.#measures],
  });

  readonly #connections = new Gauge({
    name: "acp_relay_connections",
    help: "Connections to the platform that bring what people write to a bot.",
    labelNames: ["bot"],
    registers: [this.#measures],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#measures });
  }

  readonly countInbound: InboundCounter = ({ surface, bot, decision, reason }) => {
    this.#inbound.inc({ surface, bot, decision, reason });
  };

  countFailure(): void {
    this.#failures.inc();
  }

  /** Takes what the router measures. */
  readonly take = (metric: RouterMetric): void => {
    switch (metric.kind) {
      case "queue-depth":
        this.#queueDepths.observe(metric.depth);
        return;
      case "first-event":
        this.#firstEvents.observe(metric.ms / 1_000);
        return;
      case "turn":
        this.#turns.observe({ outcome: metric.outcome }, metric.ms / 1_000);
        return;
      case "recovery":
        this.#recoveries.inc({ cause: metric.cause });
        return;
      case "redrive":
        this.#redrives.observe(metric.delayMs / 1_000);
        return;
    }
  };

  /**
   * In Prometheus' text format.
   *
   * @param sessions - Conversations with an attached session, now.
   * @param bots - Those that are connected to their platform, as they are now.
   */
  async format(
    sessions: number,
    bots: readonly BotHealth[] = [],
  ): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#sessions.set(sessions);
    for (const { bot, connections } of bots) {
      if (connections !== undefined) this.#connections.set({ bot }, connections);
    }
    return { contentType: this.#measures.contentType, text: await this.#measures.metrics() };
  }
}
