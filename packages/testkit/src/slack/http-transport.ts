import { createHmac } from "node:crypto";
import type { SlackClock } from "./clock.ts";
import { DeliveryError, type SlackEnvelope, type SlackTransport } from "./deliveries.ts";
import { SLACK_LIMITS } from "./limits.ts";

/** What a request of the platform is signed with. */
export function signSlackRequest(secret: string, body: string, timestampS: number): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestampS}:${body}`).digest("hex")}`;
}

/** The Events API, interactivity and slash commands over signed HTTP. */
export class HttpTransport implements SlackTransport {
  readonly #url: string;
  readonly #secret: string;
  readonly #clock: SlackClock;

  constructor(url: string, secret: string, clock: SlackClock) {
    this.#url = url;
    this.#secret = secret;
    this.#clock = clock;
  }

  async send({ kind, payload, attempt, reason }: SlackEnvelope): Promise<unknown> {
    const body = formatBody(kind, payload);
    const timestampS = Math.floor(this.#clock.now() / 1_000);
    const late = new AbortController();
    const deadline = this.#clock.after(SLACK_LIMITS.ackMs, () => late.abort());
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        redirect: "manual",
        signal: late.signal,
        headers: {
          "content-type":
            kind === "events_api" ? "application/json" : "application/x-www-form-urlencoded",
          "x-slack-request-timestamp": String(timestampS),
          "x-slack-signature": signSlackRequest(this.#secret, body, timestampS),
          ...(attempt > 0 && {
            "x-slack-retry-num": String(attempt),
            "x-slack-retry-reason": reason,
          }),
        },
        body,
      });
      const text = await response.text();
      if (!response.ok) {
        throw new DeliveryError("http_error", {
          isFinal: response.headers.has("x-slack-no-retry"),
        });
      }
      return parseAnswer(text);
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      const reason = late.signal.aborted ? "http_timeout" : "connection_failed";
      throw new DeliveryError(reason, { cause: error });
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}

function formatBody(kind: SlackEnvelope["kind"], payload: SlackEnvelope["payload"]): string {
  if (kind === "events_api") return JSON.stringify(payload);
  if (kind === "interactive") {
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  }
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) fields.set(name, String(value));
  return fields.toString();
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : { text };
  }
}
