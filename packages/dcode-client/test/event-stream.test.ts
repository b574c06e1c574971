import type { ServerResponse } from "node:http";
import type { DcodeEvent } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import { type ClientError, DcodeClient, type EventStreamOptions } from "../src/index.ts";
import { answerJson, frame, refusal, serve, type TestServer } from "./server.ts";

const retry = { firstMs: 1, maxMs: 5 };

/** A server whose nth connection answers as the nth of these; the last one again and again. */
function serveStreams(...answers: ((response: ServerResponse) => unknown)[]): Promise<TestServer> {
  let count = 0;
  return serve((response) => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    return answer?.(response);
  });
}

function stream(response: ServerResponse, ...chunks: (string | Buffer)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const chunk of chunks) response.write(chunk);
}

const sends =
  (...chunks: (string | Buffer)[]) =>
  (response: ServerResponse) =>
    stream(response, ...chunks);
const sendsAndEnds =
  (...chunks: string[]) =>
  (response: ServerResponse) => {
    stream(response, ...chunks);
    response.end();
  };
/** Breaks the connection without ending the answer, once all is written. */
const sendsAndBreaks =
  (...chunks: string[]) =>
  (response: ServerResponse) => {
    stream(response, ...chunks);
    response.write("", () => response.destroy());
  };
const refuses = (status: number, code: string) => (response: ServerResponse) =>
  answerJson(response, status, { code, message: "" });

/** The first `count` events. */
async function take(
  server: TestServer,
  count: number,
  options: EventStreamOptions = {},
): Promise<DcodeEvent[]> {
  const events: DcodeEvent[] = [];
  for await (const event of server.client.events("s1", { retry, ...options })) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

const seqs = (events: readonly DcodeEvent[]) => events.map(({ seq }) => seq);
const positions = (server: TestServer) =>
  server.received.map(({ url }) => url.replace(/^.*from=/, ""));

describe("events come each once and in order", () => {
  test("from the first one, by an inclusive position", async () => {
    await using server = await serveStreams(sends(frame(1), ": ping\n\n", frame(2)));
    expect(seqs(await take(server, 2))).toEqual([1, 2]);
    expect(server.received[0]?.url).toBe("/v1/sessions/s1/events?from=1");
    expect(server.received[0]?.headers).not.toHaveProperty("last-event-id");
  });

  test("across a clean end, a broken connection and a broken frame", async () => {
    await using server = await serveStreams(
      sendsAndEnds(frame(3), frame(4)),
      sendsAndBreaks(frame(5)),
      sendsAndBreaks(frame(6), frame(7).slice(0, 40)),
      sends(frame(7), frame(8)),
    );
    expect(seqs(await take(server, 6, { from: 3 }))).toEqual([3, 4, 5, 6, 7, 8]);
    expect(positions(server)).toEqual(["3", "5", "6", "7"]);
  });

  test("across refusals that are not the session's, and answers that are no stream", async () => {
    await using server = await serveStreams(
      (response) => response.writeHead(503).end("busy"),
      refuses(500, "internal"),
      (response) => response.writeHead(404).end("404 page not found"),
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      (response) => response.destroy(),
      sends(frame(1)),
    );
    expect(seqs(await take(server, 1))).toEqual([1]);
    expect(positions(server)).toEqual(["1", "1", "1", "1", "1", "1"]);
  });

  test("when the daemon sends some again", async () => {
    await using server = await serveStreams(
      sendsAndEnds(frame(1), frame(2), frame(2), frame(1)),
      sends(frame(1), frame(2), frame(3)),
    );
    expect(seqs(await take(server, 3))).toEqual([1, 2, 3]);
  });

  test("when it skips some, once: the missing ones are asked for", async () => {
    await using server = await serveStreams(sends(frame(1), frame(3)), sends(frame(2), frame(3)));
    expect(seqs(await take(server, 3))).toEqual([1, 2, 3]);
    expect(positions(server)).toEqual(["1", "2"]);
  });

  test("whatever their size, in whatever pieces", { timeout: 60_000 }, async () => {
    const content = 'é😀"<\n'.repeat(1_200_000);
    const bytes = Buffer.from(frame(1, content) + frame(2));
    const pieces: Buffer[] = [];
    // Odd pieces, so that characters are cut too.
    for (let from = 0; from < bytes.length; from += 65_521)
      pieces.push(bytes.subarray(from, from + 65_521));
    expect(bytes.length).toBeGreaterThan(10_000_000);
    await using server = await serveStreams(sends(...pieces));
    const events = await take(server, 2);
    expect(events[0]?.payload).toEqual({ turn_id: "t1", text: content });
  });

  test("with CR LF and byte by byte", async () => {
    const text = (frame(1, "é") + frame(2)).replaceAll("\n", "\r\n");
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    await using server = await serveStreams(sends(...bytes));
    expect(seqs(await take(server, 2))).toEqual([1, 2]);
  });
});

describe("the stream ends", () => {
  test.each([
    [404, "session_not_found"],
    [410, "events_expired"],
    [401, "unauthorized"],
    [200, "x"],
  ])("with the refusal %i %s, or not at all", async (status, code) => {
    await using server = await serveStreams(
      sendsAndEnds(frame(1)),
      refuses(status, code),
      sends(frame(2)),
    );
    if (status === 200) expect(seqs(await take(server, 2))).toEqual([1, 2]);
    else expect(await refusal(take(server, 2))).toMatchObject({ name: "ProtocolError", code });
  });

  test("with a gap when the missing event is asked for in vain", async () => {
    await using server = await serveStreams(sends(frame(1), frame(3)), sends(frame(3)));
    expect(await refusal(take(server, 3))).toMatchObject({ code: "gap", seq: 2 });
    expect(positions(server)).toEqual(["1", "2"]);
  });

  test("without an error when the signal aborts, also while it waits", async () => {
    const stop = new AbortController();
    await using server = await serveStreams(sends(frame(1)));
    const events: DcodeEvent[] = [];
    for await (const event of server.client.events("s1", { signal: stop.signal })) {
      events.push(event);
      stop.abort();
    }
    expect(seqs(events)).toEqual([1]);

    const waiting = new AbortController();
    const lost = new DcodeClient({ socketPath: "/nonexistent/d.sock" });
    const options = {
      signal: waiting.signal,
      retry: { firstMs: 60_000 },
      onDisconnect: () => waiting.abort(),
    };
    expect(await lost.events("s1", options).next()).toEqual({ done: true, value: undefined });
  });

  test("at once when the signal has aborted before", async () => {
    await using server = await serveStreams(sends(frame(1)));
    expect(await take(server, 1, { signal: AbortSignal.abort() })).toEqual([]);
    expect(server.received).toEqual([]);
  });

  test("and closes its connection when the reader leaves", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serveStreams((response) => {
      response.on("close", () => closed.resolve());
      stream(response, frame(1), frame(2));
    });
    await take(server, 1);
    await closed.promise;
  });

  test("when nothing came for the given time, with the last failure", async () => {
    const waits: number[] = [];
    const client = new DcodeClient({ socketPath: "/nonexistent/d.sock" });
    const events = client.events("s1", {
      retry: { firstMs: 1, maxMs: 8, forMs: 1_000 },
      onDisconnect: (_, delayMs) => void waits.push(delayMs),
    });
    expect(await refusal(events.next())).toMatchObject({ code: "unreachable" });
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 8]);
  });

  test("never as long as pings come", async () => {
    let connections = 0;
    await using server = await serve((response) => {
      connections += 1;
      if (connections <= 40) sendsAndEnds(": ping\n\n")(response);
      else stream(response, frame(1));
    });
    const slow = { firstMs: 2, maxMs: 2, forMs: 30 };
    expect(seqs(await take(server, 1, { retry: slow }))).toEqual([1]);
  });
});

test("a reader that was disconnected after events goes on at once; without events the waits grow", async () => {
  const disconnects: [string, number][] = [];
  await using server = await serveStreams(
    sendsAndEnds(frame(1)),
    sendsAndEnds(),
    sendsAndEnds(),
    sendsAndEnds(frame(2)),
    sends(frame(3)),
  );
  await take(server, 3, {
    onDisconnect: (cause, delayMs) => void disconnects.push([(cause as ClientError).code, delayMs]),
  });
  expect(disconnects).toEqual([
    ["closed", 0],
    ["closed", 1],
    ["closed", 2],
    ["closed", 0],
  ]);
});

test("a connection on which nothing comes is dropped and made anew", async () => {
  await using server = await serveStreams(sends(frame(1)), () => {}, sends(frame(2)));
  const causes: string[] = [];
  const options = {
    silenceMs: 40,
    onDisconnect: (cause: Error) => void causes.push((cause as ClientError).code),
  };
  expect(seqs(await take(server, 2, options))).toEqual([1, 2]);
  expect(causes).toEqual(["timeout", "timeout"]);
});

describe("an event that cannot be read", () => {
  const bad = (id: string) => `${id}data: {"seq":2,"type":5}\n\n`;

  test("ends the stream and says which it was", async () => {
    await using server = await serveStreams(sends(frame(1), bad("id: 2\n"), frame(3)));
    expect(await refusal(take(server, 3))).toMatchObject({ code: "bad_event", seq: 2 });
  });

  test("is told and left out when someone listens", async () => {
    const told: (number | undefined)[] = [];
    await using server = await serveStreams(sends(frame(1), bad("id: 2\n"), frame(3)));
    const events = await take(server, 2, { onBadEvent: (error) => void told.push(error.seq) });
    expect(seqs(events)).toEqual([1, 3]);
    expect(told).toEqual([2]);
  });

  test("is asked for again when its frame does not say its seq, and is a gap the second time", async () => {
    await using server = await serveStreams(
      sends(frame(1), bad(""), frame(3)),
      sends(bad(""), frame(3)),
    );
    expect(await refusal(take(server, 3, { onBadEvent: () => {} }))).toMatchObject({
      code: "gap",
      seq: 2,
    });
  });

  test("is refused when it is longer than the reader allows", async () => {
    await using server = await serveStreams(sends(frame(1, "x".repeat(10_000))));
    expect(await refusal(take(server, 1, { maxCharacters: 5_000 }))).toMatchObject({
      code: "bad_event",
    });
  });
});

test.each([Number.NaN, -1, 1.5, 2 ** 53])(
  "%d is refused as a position, before anything is sent",
  async (from) => {
    await using server = await serveStreams(sends(frame(1)));
    expect(await refusal(take(server, 1, { from }))).toMatchObject({ code: "invalid_input" });
    expect(server.received).toEqual([]);
  },
);

test("what the listener throws comes out of the stream", async () => {
  await using server = await serveStreams(sends('id: 1\ndata: {"seq":1}\n\n'));
  const onBadEvent = () => {
    throw new RangeError("mine");
  };
  expect(await refusal(take(server, 1, { onBadEvent }))).toBeInstanceOf(RangeError);
});
