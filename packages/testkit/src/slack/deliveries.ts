import type { SlackClock } from "./clock.ts";
import { SLACK_LIMITS } from "./limits.ts";

export type SlackEnvelope = {
  readonly kind: "events_api" | "interactive" | "slash_commands";
  readonly payload: Readonly<Record<string, unknown>>;
  /** 0 at first. */
  readonly attempt: number;
  readonly reason: string;
};

/** How the app is reached. `send` gives what came with the acknowledgement, or throws a {@link DeliveryError}. */
export type SlackTransport = {
  send(envelope: SlackEnvelope): Promise<unknown>;
};

/** The word with which the platform explains the next attempt. */
export class DeliveryError extends Error {
  /** The app wants no further attempt. */
  readonly isFinal: boolean;

  constructor(
    reason: string,
    { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {},
  ) {
    super(reason, options);
    this.isFinal = isFinal;
  }
}

/** What became of something that the app was sent. */
export type SlackDelivery = {
  readonly kind: SlackEnvelope["kind"];
  readonly payload: Readonly<Record<string, unknown>>;
  attempts: number;
  state: "open" | "acknowledged" | "lost";
  /** The acknowledgement's own content. */
  answer?: unknown;
};

/** Sends the app what happens, and repeats what it does not acknowledge. */
export class Deliveries {
  readonly all: SlackDelivery[] = [];
  /** The next events reach the app this often. */
  #copies = 1;
  readonly #clock: SlackClock;
  readonly #transport: SlackTransport;
  #settled: PromiseWithResolvers<void> | undefined;
  #trying = 0;

  constructor(clock: SlackClock, transport: SlackTransport) {
    this.#clock = clock;
    this.#transport = transport;
  }

  /** The next event is delivered twice, though it was acknowledged. */
  duplicateNext(): void {
    this.#copies = 2;
  }

  /** An event, with its repeats. */
  event(payload: Readonly<Record<string, unknown>>): void {
    const copies = this.#copies;
    this.#copies = 1;
    for (let copy = 0; copy < copies; copy += 1) {
      void this.#try(this.#add("events_api", payload), "");
    }
  }

  /** What a person did. It is sent once; they see it when it is lost. */
  async act(
    kind: "interactive" | "slash_commands",
    payload: Readonly<Record<string, unknown>>,
  ): Promise<SlackDelivery> {
    const delivery = this.#add(kind, payload);
    await this.#try(delivery, "");
    return delivery;
  }

  /** Resolves when nothing is on its way; what waits for a later attempt is not. */
  async settled(): Promise<void> {
    if (this.#trying === 0) return;
    this.#settled ??= Promise.withResolvers();
    await this.#settled.promise;
  }

  #add(kind: SlackDelivery["kind"], payload: SlackDelivery["payload"]): SlackDelivery {
    const delivery: SlackDelivery = { kind, payload, attempts: 0, state: "open" };
    this.all.push(delivery);
    return delivery;
  }

  async #try(delivery: SlackDelivery, reason: string): Promise<void> {
    const { kind, payload } = delivery;
    this.#trying += 1;
    try {
      const attempt = delivery.attempts;
      delivery.attempts += 1;
      delivery.answer = await this.#transport.send({ kind, payload, attempt, reason });
      delivery.state = "acknowledged";
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const delay = SLACK_LIMITS.retryDelaysMs[delivery.attempts - 1];
      if (kind !== "events_api" || delay === undefined || error.isFinal) delivery.state = "lost";
      else this.#clock.after(delay, () => void this.#try(delivery, error.message));
    } finally {
      this.#trying -= 1;
      if (this.#trying === 0) {
        this.#settled?.resolve();
        this.#settled = undefined;
      }
    }
  }
}
