import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  createPoeWriter,
  createSettings,
  KEEP_ALIVE,
  lastUserMessage,
  POE_LIMITS,
  PREAMBLE,
  parsePoeRequest,
  type QueryRequest,
  STREAM_HEADERS,
} from "@acp-kit/poe-protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPoeDriver, createPoeId } from "../../src/poe/driver.ts";

const KEY = "0123456789abcdef0123456789abcdef";

/** A bot on loopback that does with a request what the test says. */
async function startBot(
  answer: (response: ServerResponse, body: string, request: IncomingMessage) => void,
) {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => answer(response, body, request),
      () => {},
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/poe`;
  return { url, ...createPoeDriver({ url, key: KEY }) };
}

function open(response: ServerResponse) {
  response.writeHead(200, STREAM_HEADERS);
  return createPoeWriter((frame) => response.write(frame)).meta();
}

function parseQuery(body: string): QueryRequest {
  const request = parsePoeRequest(body);
  if (request.type !== "query") throw new Error(request.type);
  return request;
}

describe("query", () => {
  it("reads a response to its end", async () => {
    const driver = await startBot((response) => {
      response.writeHead(200, STREAM_HEADERS);
      const answer = createPoeWriter((frame) => response.write(frame))
        .send(PREAMBLE)
        .meta();
      answer.text("Hello");
      answer.send(KEEP_ALIVE);
      answer.replaceResponse("Bye");
      answer.done();
      response.end();
    });
    const query = driver.query({ text: "hi" });
    const outcome = await query.done;
    expect(outcome).toMatchObject({ how: "done", status: 200 });
    expect(outcome.headers?.["cache-control"]).toBe("no-store, no-transform");
    expect(query.body()).toBe("Bye");
    expect(query.violations).toEqual([]);
    expect(query.frames).toHaveLength(6);
    const { firstByteMs = -1, firstEventMs = -1, firstContentMs = -1 } = query;
    const times = [0, firstByteMs, firstEventMs, firstContentMs, outcome.ms];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("hands every reader all events, also one that comes late", async () => {
    const driver = await startBot((response) => {
      const answer = open(response);
      answer.text("a");
      answer.done();
      response.end();
    });
    const query = driver.query({ text: "hi" });
    const names = async () => {
      const seen: string[] = [];
      for await (const { event } of query.events) seen.push(event);
      return seen;
    };
    const live = names();
    await query.done;
    expect(await live).toEqual(["meta", "text", "done"]);
    expect(await names()).toEqual(["meta", "text", "done"]);
  });

  it("sends what Poe sends: every key, fresh ids where none were given", async () => {
    const bodies: string[] = [];
    const headers: IncomingMessage["headers"][] = [];
    const driver = await startBot((response, body, request) => {
      bodies.push(body);
      headers.push(request.headers);
      const answer = open(response);
      answer.text("x");
      answer.done();
      response.end();
    });
    const first = driver.query({ text: "hi", parameters: { model: "a/1" } });
    await first.done;
    const { conversation, messageId, userId } = first.ids;
    await driver.query({ text: "hi", conversation, messageId }).done;
    const [one, two] = bodies.map(parseQuery);
    expect(one && lastUserMessage(one)).toMatchObject({
      content: "hi",
      message_id: messageId,
      parameters: { model: "a/1" },
    });
    expect(one).toMatchObject({ conversation_id: conversation, user_id: userId, version: "1.2" });
    expect(two).toMatchObject({ conversation_id: conversation, user_id: userId });
    expect(two?.message_id, "a request has an id of its own").not.toBe(one?.message_id);
    expect(JSON.parse(bodies[0] ?? "")).toHaveProperty("extra_params", null);
    expect(headers[0]).toMatchObject({
      authorization: `Bearer ${KEY}`,
      accept: "text/event-stream",
      "content-type": "application/json",
    });
  });

  it("sends a whole transcript as it is given", async () => {
    let body = "";
    const driver = await startBot((response, received) => {
      body = received;
      const answer = open(response);
      answer.text("x");
      answer.done();
      response.end();
    });
    const messages = [
      { role: "user", content: "1", message_id: "" },
      { role: "bot", content: "2", metadata: "m" },
      { role: "narrator", content: "3" },
    ];
    await driver.query({ messages, conversation: "", requestId: "", userId: "" }).done;
    expect(JSON.parse(body).query).toMatchObject(messages);
    expect(parseQuery(body)).toMatchObject({ conversation_id: "", message_id: "", user_id: "" });
  });

  it("a closed query is seen by the bot, and says that it was stopped", async () => {
    const gone = Promise.withResolvers<void>();
    const driver = await startBot((response) => {
      response.once("close", gone.resolve);
      open(response).text("working");
    });
    const query = driver.query({ text: "hi" });
    await query.waitFor(() => query.body() === "working");
    expect(await query.close()).toMatchObject({ how: "stopped", status: 200 });
    await gone.promise;
    expect(query.violations).toEqual([]);
  });

  it("an aborted signal is Stop, also before any answer and before the request", async () => {
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const driver = await startBot((response) => {
      response.once("close", gone.resolve);
      arrived.resolve();
    });
    const abort = new AbortController();
    const query = driver.query({ text: "hi", signal: abort.signal });
    await arrived.promise;
    abort.abort();
    expect((await query.done).how).toBe("stopped");
    await gone.promise;
    const late = driver.query({ text: "hi", signal: abort.signal });
    expect((await late.done).how).toBe("stopped");
  });

  it("a query that stops reading holds the bot's writes up until it reads on", async () => {
    // Loopback swallows a few megabytes; the rest of these can only wait for the reader.
    const large = "x".repeat(16 * 1024 * 1024);
    let isFlushed = false;
    const driver = await startBot((response, body) => {
      if (body.includes('"settings"')) {
        response.end();
        return;
      }
      response.once("finish", () => {
        isFlushed = true;
      });
      const answer = open(response);
      answer.replaceResponse(large);
      answer.done();
      response.end();
    });
    const query = driver.query({ text: "hi" });
    query.pause();
    for (let round = 0; round < 20; round += 1) await driver.settings();
    expect([query.frames.length, isFlushed]).toEqual([0, false]);
    query.resume();
    expect((await query.done).how).toBe("done");
    expect([query.body().length, isFlushed]).toEqual([large.length, true]);
  });

  it("a wait that can no longer come true is rejected with what there was", async () => {
    const driver = await startBot((response) => {
      const answer = open(response);
      answer.text("only this");
      answer.done();
      response.end();
    });
    const query = driver.query({ text: "hi" });
    await expect(query.waitFor(() => query.body() === "more")).rejects.toThrow(
      'Did not hold before done; the body is "only this"',
    );
  });
});

describe("a broken response", () => {
  it("a connection that breaks inside it is cut", async () => {
    const driver = await startBot((response) => {
      open(response).text("half");
      setImmediate(() => response.destroy());
    });
    const query = driver.query({ text: "hi" });
    expect((await query.done).how).toBe("cut");
    expect(query.violations.map(({ code }) => code)).toEqual(["cut"]);
  });

  it("an end without done has ended", async () => {
    const driver = await startBot((response) => {
      open(response).text("half");
      response.end();
    });
    const query = driver.query({ text: "hi" });
    expect((await query.done).how).toBe("ended");
    expect(query.violations.map(({ code }) => code)).toEqual(["done-missing"]);
  });

  it("another status is a refusal, with its body and without violations of the stream", async () => {
    const driver = await startBot((response) => response.writeHead(401).end("no"));
    const query = driver.query({ text: "hi" });
    expect(await query.done).toMatchObject({ how: "refused", status: 401, refusal: "no" });
    expect(query.violations).toEqual([]);
  });

  it("another content type is a violation", async () => {
    const driver = await startBot((response) => response.writeHead(200).end("{}"));
    const query = driver.query({ text: "hi" });
    await query.done;
    expect(query.violations.map(({ code }) => code)).toContain("content-type");
  });

  it("a bot that is not there is a cut with a cause", async () => {
    const driver = createPoeDriver({ url: "http://127.0.0.1:1/poe", key: KEY });
    expect(await driver.query({ text: "hi" }).done).toMatchObject({
      how: "cut",
      cause: expect.objectContaining({ code: "ECONNREFUSED" }),
    });
  });

  it("a first event after the limit is a violation, and a comment is no event", async () => {
    const proceed = Promise.withResolvers<void>();
    const { url } = await startBot((response) => {
      response.writeHead(200, STREAM_HEADERS);
      const opening = createPoeWriter((frame) => response.write(frame)).send(KEEP_ALIVE);
      proceed.promise.then(() => {
        const answer = opening.meta();
        answer.text("x");
        answer.done();
        response.end();
      });
    });
    const limits = { ...POE_LIMITS, firstEventMs: 0 };
    const query = createPoeDriver({ url, key: KEY, limits }).query({ text: "hi" });
    await query.waitFor(() => query.frames.length === 1);
    expect([query.firstEventMs, query.violations]).toEqual([undefined, []]);
    proceed.resolve();
    await query.done;
    expect(query.violations.map(({ code }) => code)).toEqual(["late-first-event"]);
  });
});

it("a response that ends after the limit is a violation", async () => {
  const { url } = await startBot((response) => {
    response.writeHead(200, STREAM_HEADERS);
    const answer = createPoeWriter((frame) => response.write(frame)).meta();
    answer.text("x");
    answer.done();
    response.end();
  });
  for (const [responseMs, codes] of [
    [POE_LIMITS.responseMs, []],
    [0, ["too-long"]],
  ] as const) {
    const limits = { ...POE_LIMITS, responseMs };
    const query = createPoeDriver({ url, key: KEY, limits }).query({ text: "hi" });
    await query.done;
    expect(query.violations.map(({ code }) => code)).toEqual(codes);
  }
});

describe("the other requests", () => {
  it("settings, reports and raw posts are sent as Poe sends them", async () => {
    const seen: unknown[] = [];
    const driver = await startBot((response, body, { headers }) => {
      seen.push([headers.authorization, body.startsWith("{") ? JSON.parse(body) : body]);
      response.end(body.includes('"settings"') ? JSON.stringify(createSettings()) : "plain");
    });
    const settings = await driver.settings();
    expect(settings).toMatchObject({ status: 200, json: { response_version: 2 } });
    const ids = { conversation: "c-1", messageId: "m-1", userId: "u-1" };
    expect((await driver.reportReaction({ ...ids, reaction: "+👍" })).json).toBeUndefined();
    await driver.reportReaction({ ...ids, reaction: "heart", action: "removed" });
    await driver.reportError({ message: "no text" });
    await driver.post("nonsense", null);
    const key = `Bearer ${KEY}`;
    const reaction = {
      version: "1.2",
      type: "report_reaction",
      message_id: "m-1",
      user_id: "u-1",
      conversation_id: "c-1",
    };
    expect(seen).toEqual([
      [key, { version: "1.2", type: "settings" }],
      [key, { ...reaction, reaction: "+👍" }],
      [key, { ...reaction, reaction: "heart", action: "removed" }],
      [key, { version: "1.2", type: "report_error", message: "no text", metadata: {} }],
      [undefined, "nonsense"],
    ]);
  });

  it("ids have the shape that Poe documents, and do not repeat", () => {
    const ids = Array.from({ length: 100 }, () => createPoeId("m"));
    for (const id of ids) expect(id).toMatch(/^m-[a-z0-9]{32}$/);
    expect(new Set(ids).size).toBe(100);
  });
});

describe.each(["bot-on-hono", "bot-on-node"])("%s of poe-protocol's README", (name) => {
  it("satisfies the strict reader", async () => {
    const file = fileURLToPath(
      new URL(`../../../poe-protocol/examples/${name}.ts`, import.meta.url),
    );
    const bot = spawn(process.execPath, ["--conditions=@acp-kit/source", file], {
      env: { PATH: process.env["PATH"], POE_ACCESS_KEY: KEY, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(bot, "exit");
    onTestFinished(async () => {
      bot.kill();
      await exited;
    });
    const [line] = await once(createInterface(bot.stdout), "line");
    const url = `http://127.0.0.1:${/\d{4,}/.exec(String(line))?.[0]}/poe`;
    const query = createPoeDriver({ url, key: KEY }).query({ text: "hi" });
    expect((await query.done).how).toBe("done");
    expect(query.body()).toBe("You said: hi");
    expect(query.violations).toEqual([]);
  });
});
