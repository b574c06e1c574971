import type { Clock } from "../budget/clock.ts";
import type { SocketEnvelope } from "../socket/connection.ts";
import { isSignedBy } from "./check-signature.ts";
import { parseSlackRequest } from "./parse-request.ts";
import { RecentKeys } from "./recent-keys.ts";

/** Largest request that is read, in bytes. */
export const MAX_SLACK_REQUEST_BYTES = 1024 * 1024;

/** The platform waits for 3 s. */
const ACK_MS = 2_900;

/** Longer than a signature is valid, in whichever direction the clocks differ. */
const REPLAY_MS = 660_000;

/** Longer than the platform goes on to repeat an event. */
const EVENT_MS = 3_600_000;

const MAX_REMEMBERED = 20_000;

export type SlackReceiverOptions = {
  /** Two while one is replaced. */
  readonly signingSecrets: readonly string[];
  readonly clock: Clock;
  readonly onEnvelope: (envelope: SocketEnvelope) => void;
};

/**
 * Events, interactions and slash commands over HTTP: the same envelopes as Socket Mode brings.
 *
 * An event that is not acknowledged within 2.9 s is answered with 503, so that it comes again; one that was is answered
 * and not brought again, however often it comes.
 */
export class SlackReceiver {
  readonly #options: SlackReceiverOptions;
  readonly #signatures = new RecentKeys(REPLAY_MS, MAX_REMEMBERED);
  readonly #events = new RecentKeys(EVENT_MS, MAX_REMEMBERED);

  constructor(options: SlackReceiverOptions) {
    this.#options = options;
  }

  async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST") return answer(405, { allow: "POST" });
    const body = await readAtMost(request, MAX_SLACK_REQUEST_BYTES);
    if (!body) return answer(413);
    const { signingSecrets, clock } = this.#options;
    const timestamp = request.headers.get("x-slack-request-timestamp") ?? "";
    const signature = request.headers.get("x-slack-signature") ?? "";
    const now = clock.now();
    if (!isSignedBy(signingSecrets, { body, timestamp, signature }, now)) return answer(401);
    if (this.#signatures.has(signature, now)) return answer(401);
    this.#signatures.add(signature, now);
    const type = request.headers.get("content-type") ?? "";
    const parsed = parseSlackRequest(new TextDecoder().decode(body), type);
    switch (parsed.kind) {
      case "challenge":
        return new Response(parsed.challenge, { headers: { "content-type": "text/plain" } });
      case "check":
        return answer(200);
      case "malformed":
        return answer(400);
      case "envelope":
        return await this.#bring(parsed, Number(request.headers.get("x-slack-retry-num") ?? 0));
    }
  }

  async #bring(
    { type, payload, event }: Extract<ReturnType<typeof parseSlackRequest>, { kind: "envelope" }>,
    retry: number,
  ): Promise<Response> {
    const { clock, onEnvelope } = this.#options;
    if (event !== undefined && this.#events.has(event, clock.now())) return answer(200);
    const { promise, resolve } = Promise.withResolvers<Response>();
    const late = type === "events_api" ? 503 : 200;
    using _deadline = clock.after(ACK_MS, () => resolve(answer(late)));
    onEnvelope({
      kind: type,
      payload,
      retry: Number.isSafeInteger(retry) ? retry : 0,
      ack: (content) => {
        // Also when it is late: it was taken, and need not come again.
        if (event !== undefined) this.#events.add(event, clock.now());
        resolve(content ? Response.json(content) : answer(200));
      },
    });
    return await promise;
  }
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers });
}

/** Undefined when there is more. */
async function readAtMost(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
