import { randomInt } from "node:crypto";
import type { Clock } from "../budget/clock.ts";
import type { OpenSocket, SocketConnection, SocketEnd, SocketEnvelope } from "./connection.ts";
import { OtherConnections } from "./other-connections.ts";

/** Longest wait before another attempt, in milliseconds. */
export const MAX_BACKOFF_MS = 30_000;

const FIRST_BACKOFF_MS = 250;

/** A connection that was there for as long as this has been a good one: the next attempt does not wait. */
const GOOD_AFTER_MS = 10_000;

export type SupervisorOptions = {
  readonly open: OpenSocket;
  readonly clock: Clock;
  readonly onEnvelope: (envelope: SocketEnvelope) => void;
  /** How many connections there should be. [2] */
  readonly connections?: number;
  /** A connection brings envelopes from now on. */
  readonly onReady?: () => void;
  /** A sign of life of any connection, before whatever it brings. */
  readonly onSign?: () => void;
  readonly onEnd?: (end: SocketEnd) => void;
  /** Somebody else has so many connections of this app, and keeps them. */
  readonly onOthers?: (count: number) => void;
  /** At least 0, below 1. */
  readonly random?: () => number;
};

export type SocketHealth = {
  /** Connections that bring envelopes. */
  readonly ready: number;
  /** The platform's word, while it refuses the token. */
  readonly refused: string | undefined;
  /** Connections of this app that somebody else keeps, as of the last greeting: they take a share of what comes. */
  readonly others: number;
};

/** One of the connections that there should be. */
type Slot = {
  /** The one that is there, and the one that takes its place. */
  readonly connections: Set<SocketConnection>;
  ready:
    | {
        readonly connection: SocketConnection;
        readonly since: number;
        readonly replace: () => void;
      }
    | undefined;
  /** It was to be replaced without need, and goes when the other is there. */
  leaving: SocketConnection | undefined;
  /** Attempts since a good connection. */
  failures: number;
  refused: string | undefined;
  retry: Disposable | undefined;
};

/**
 * Keeps connections to the platform, so that one is there while another is replaced. Whatever happens to one is
 * answered with another, for ever, at most {@link MAX_BACKOFF_MS} later; nothing that a connection does ends the process.
 */
export class SocketSupervisor implements Disposable {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly Slot[];
  readonly #others: OtherConnections;
  #isClosed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#others = new OtherConnections({
      clock: options.clock,
      look: () => this.#renew(),
      onOthers: options.onOthers,
    });
    this.#slots = Array.from({ length: options.connections ?? 2 }, () => ({
      connections: new Set<SocketConnection>(),
      ready: undefined,
      leaving: undefined,
      failures: 0,
      refused: undefined,
      retry: undefined,
    }));
    for (const slot of this.#slots) this.#open(slot);
  }

  get health(): SocketHealth {
    return {
      ready: this.#slots.filter(({ ready }) => ready !== undefined).length,
      refused: this.#slots.map(({ refused }) => refused).find((each) => each !== undefined),
      others: this.#others.count,
    };
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#others[Symbol.dispose]();
    for (const { connections, retry } of this.#slots) {
      retry?.[Symbol.dispose]();
      for (const connection of connections) connection[Symbol.dispose]();
    }
  }

  /** Those among them that are not greeted yet, and those that are being replaced. */
  get #own(): number {
    return this.#slots.reduce((count, { connections }) => count + connections.size, 0);
  }

  #open(slot: Slot): void {
    if (this.#isClosed) return;
    const { clock, onEnvelope, onReady, onSign, onEnd, open } = this.#options;
    let isReplaced = false;
    const replace = () => {
      if (isReplaced) return;
      isReplaced = true;
      this.#replace(slot, connection);
    };
    const connection: SocketConnection = open({
      onReady: (connections = 0) => {
        this.#others.take(Math.max(0, connections - this.#own));
        slot.ready = { connection, since: clock.now(), replace };
        slot.leaving?.[Symbol.dispose]();
        slot.leaving = undefined;
        slot.refused = undefined;
        onReady?.();
      },
      ...(onSign && { onSign }),
      onWarning: replace,
      onEnvelope,
    });
    slot.connections.add(connection);
    void connection.ended.then((end) => {
      slot.connections.delete(connection);
      if (this.#isClosed) return;
      if (end.kind === "refused") slot.refused = end.error;
      replace();
      if (slot.ready?.connection === connection) slot.ready = undefined;
      onEnd?.(end);
    });
  }

  /** One is replaced by another, which the platform greets with a count. */
  #renew(): void {
    const slot = this.#slots.find(({ ready }) => ready !== undefined);
    if (!slot?.ready) return;
    const { connection, replace } = slot.ready;
    slot.leaving = connection;
    replace();
  }

  #replace(slot: Slot, connection: SocketConnection): void {
    const { clock } = this.#options;
    const since = slot.ready?.connection === connection ? slot.ready.since : undefined;
    const wasGood = since !== undefined && clock.now() - since >= GOOD_AFTER_MS;
    slot.failures = wasGood ? 0 : slot.failures + 1;
    if (wasGood) this.#open(slot);
    else slot.retry = clock.after(this.#backoff(slot.failures), () => this.#open(slot));
  }

  /** Doubles up to the longest; between half of that and all of it, so that not all come back at once. */
  #backoff(failures: number): number {
    const random = this.#options.random ?? (() => randomInt(1_000) / 1_000);
    const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
    return full * (0.5 + random() / 2);
  }
}
