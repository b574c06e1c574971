import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { PoeComment, PoeEvent, PoeLimits } from "@acp-kit/poe-protocol";
import { createPoeReader } from "./reader.ts";
import type { PoeViolation } from "./violation.ts";

export type PoeOutcome = {
  /**
   * - `done`: the `done` event was read and the response ended.
   * - `ended`: the response ended, without `done`.
   * - `cut`: the connection broke. A connection refused is one of these.
   * - `stopped`: this side closed it.
   * - `refused`: another HTTP status than 200.
   */
  how: "done" | "ended" | "cut" | "stopped" | "refused";
  status?: number;
  headers?: IncomingHttpHeaders;
  /** The body of a refused query. */
  refusal?: string;
  /** Of a broken connection. */
  cause?: Error;
  /** From the request to the end. */
  ms: number;
};

/** One running response. Times are milliseconds since the request was sent. */
export type PoeQuery = {
  /** The ids that were sent. To ask the same again as Poe does, pass all but `requestId`. */
  readonly ids: PoeQueryIds;
  /** Well-formed events from the first one on, then live, until the response ends. */
  readonly events: AsyncIterable<PoeEvent>;
  /** Well-formed events and comments so far. */
  readonly frames: readonly (PoeEvent | PoeComment)[];
  /** What a user of Poe sees now. */
  body(): string;
  readonly violations: readonly PoeViolation[];
  readonly firstByteMs: number | undefined;
  readonly firstEventMs: number | undefined;
  /** The first `text` or `replace_response`. */
  readonly firstContentMs: number | undefined;
  /** Never rejects. */
  readonly done: Promise<PoeOutcome>;
  /** Resolves when `condition` holds; looked at after every read. Rejects when it no longer can. */
  waitFor(condition: (query: PoeQuery) => boolean, deadlineMs?: number): Promise<void>;
  /** Stops reading from the socket, as a client that hangs does. */
  pause(): void;
  resume(): void;
  /** Stop, as a user of Poe presses it: the connection is closed. */
  close(): Promise<PoeOutcome>;
};

export type PoeQueryIds = {
  conversation: string;
  messageId: string;
  requestId: string;
  userId: string;
};

/** POSTs `body` and reads the response. */
export function startPoeQuery(
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  ids: PoeQueryIds,
  limits: PoeLimits,
  signal: AbortSignal | undefined,
): PoeQuery {
  const started = performance.now();
  const now = () => performance.now() - started;
  const reader = createPoeReader(limits);
  /** What only this side of the connection can see. */
  const violations: PoeViolation[] = [];
  const done = Promise.withResolvers<PoeOutcome>();
  /** Replaced at every change. */
  let changed = Promise.withResolvers<void>();
  let firstByteMs: number | undefined;
  let firstEventMs: number | undefined;
  let firstContentMs: number | undefined;
  let response: IncomingMessage | undefined;
  let outcome: PoeOutcome | undefined;
  let isPaused = false;
  let isStopped = false;

  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const settle = (how: PoeOutcome["how"], more: Partial<PoeOutcome> = {}) => {
    if (outcome !== undefined) return;
    if (how === "cut") {
      const message = more.cause?.message ?? "closed inside the response";
      violations.push({ code: "cut", message });
    }
    if (how === "done" || how === "ended") reader.end();
    if (now() > limits.responseMs) {
      violations.push({ code: "too-long", message: `took ${Math.round(now())} ms` });
    }
    const seen = response && { status: response.statusCode ?? 0, headers: response.headers };
    outcome = { how, ms: now(), ...seen, ...more };
    done.resolve(outcome);
    wake();
  };
  const settleBroken = (cause?: Error) => {
    if (isStopped) settle("stopped");
    else settle("cut", cause === undefined ? {} : { cause });
  };

  const takeFrames = (frames: readonly (PoeEvent | PoeComment)[]) => {
    for (const frame of frames) {
      if ("comment" in frame) continue;
      if (firstEventMs === undefined) {
        firstEventMs = now();
        if (firstEventMs > limits.firstEventMs) {
          const message = `first event after ${Math.round(firstEventMs)} ms`;
          violations.push({ code: "late-first-event", message });
        }
      }
      if (frame.event === "text" || frame.event === "replace_response") firstContentMs ??= now();
    }
  };

  const read = (incoming: IncomingMessage) => {
    response = incoming;
    if (incoming.statusCode !== 200) {
      text(incoming).then((refusal) => settle("refused", { refusal }), settleBroken);
      return;
    }
    const type = incoming.headers["content-type"] ?? "none";
    if (!type.includes("text/event-stream")) {
      violations.push({ code: "content-type", message: type });
    }
    incoming.on("data", (bytes: Buffer) => {
      firstByteMs ??= now();
      takeFrames(reader.push(bytes));
      wake();
    });
    incoming.on("error", settleBroken);
    incoming.once("close", () => settleBroken());
    incoming.once("end", () => settle(reader.isDone ? "done" : "ended"));
    if (isPaused) incoming.pause();
  };

  const outgoing = request(url, { method: "POST", headers, agent: false });
  const stop = () => {
    isStopped = true;
    outgoing.destroy();
  };
  outgoing.once("response", read);
  outgoing.on("error", settleBroken);
  outgoing.once("close", () => {
    signal?.removeEventListener("abort", stop);
    if (response === undefined) settleBroken();
  });
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  outgoing.end(body);

  const query: PoeQuery = {
    ids,
    events: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; ; ) {
          const frame = reader.frames[at];
          if (frame !== undefined) {
            at += 1;
            if ("event" in frame) yield frame;
          } else {
            if (outcome !== undefined) return;
            await changed.promise;
          }
        }
      },
    },
    frames: reader.frames,
    body: reader.body,
    get violations() {
      return [...violations, ...reader.violations];
    },
    get firstByteMs() {
      return firstByteMs;
    },
    get firstEventMs() {
      return firstEventMs;
    },
    get firstContentMs() {
      return firstContentMs;
    },
    done: done.promise,
    async waitFor(condition, deadlineMs = 5_000) {
      const late = Promise.withResolvers<void>();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        late.resolve();
      }, deadlineMs);
      try {
        while (!condition(query)) {
          if (outcome !== undefined || isLate) {
            const why = outcome === undefined ? `within ${deadlineMs} ms` : `before ${outcome.how}`;
            throw new Error(`Did not hold ${why}; the body is ${JSON.stringify(reader.body())}`);
          }
          await Promise.race([changed.promise, late.promise]);
        }
      } finally {
        clearTimeout(timer);
      }
    },
    pause() {
      isPaused = true;
      response?.pause();
    },
    resume() {
      isPaused = false;
      response?.resume();
    },
    close() {
      stop();
      return done.promise;
    },
  };
  return query;
}
