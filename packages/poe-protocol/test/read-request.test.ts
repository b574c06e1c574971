import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { createParser } from "eventsource-parser";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createSettings,
  formatAnswer,
  type IncomingRequest,
  MAX_REQUEST_BYTES,
  type PoeRequest,
  parsePoeRequest,
  type RefusedRequest,
  readPoeRequest,
  UNAUTHORIZED,
} from "../src/index.ts";

const OLD = "0123456789abcdef0123456789abcdef";
const NEW = "fedcba9876543210fedcba9876543210";
const MAX_BYTES = 100_000;

/** Listens on a free port, and tells each request that it read, or why it could not. */
async function startServer(kind: string) {
  const read: (PoeRequest | RefusedRequest | Error)[] = [];
  const answer = async (incoming: IncomingRequest): Promise<Response> => {
    try {
      const seen = await readPoeRequest(incoming, { keys: [OLD, NEW], maxBytes: MAX_BYTES });
      read.push(seen);
      return "refusal" in seen
        ? new Response(seen.refusal.body, seen.refusal)
        : Response.json({ type: seen.type });
    } catch (error) {
      read.push(error as Error);
      return new Response(null);
    }
  };
  const server = createServer(
    kind === "hono"
      ? getRequestListener(new Hono().post("*", (c) => answer(c.req.raw)).fetch)
      : async (incoming, outgoing) => {
          const response = await answer(incoming);
          const headers = Object.fromEntries(response.headers);
          outgoing.writeHead(response.status, headers).end(await response.text());
        },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { read, port, server };
}

/** Sends the head, and gives the request for its body. */
function post(port: number, headers: Record<string, string>) {
  const outgoing = request({ port, method: "POST", path: "/", headers });
  outgoing.on("error", () => {});
  outgoing.flushHeaders();
  return outgoing;
}

async function replyTo(outgoing: ReturnType<typeof post>) {
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: incoming.statusCode, body: await text(incoming) };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe.each(["node", "hono"])("readPoeRequest on %s", (kind) => {
  it.each([OLD, NEW])("reads a request with the key %s", async (key) => {
    const { port, read } = await startServer(kind);
    const outgoing = post(port, bearer(key));
    outgoing.end('\ufeff{"type":"query","query":[{"role":"user","content":"é😀"}]}');
    expect(await replyTo(outgoing)).toEqual({ status: 200, body: '{"type":"query"}' });
    expect(read).toMatchObject([{ type: "query", query: [{ content: "é😀" }] }]);
  });

  it("asks for the key before anything of the body is there", async () => {
    const { port, read } = await startServer(kind);
    for (const headers of [bearer("x".repeat(32)), {}]) {
      const outgoing = post(port, { ...headers, "transfer-encoding": "chunked" });
      expect(await replyTo(outgoing)).toEqual({ status: 401, body: UNAUTHORIZED.body });
      outgoing.destroy();
    }
    expect(read.map((each) => "type" in each && each.type)).toEqual([
      "unauthorized",
      "unauthorized",
    ]);
  });

  it("refuses a body that says it is too large before it comes, in words for the person", async () => {
    const { port } = await startServer(kind);
    const outgoing = post(port, { ...bearer(OLD), "content-length": String(MAX_BYTES + 1) });
    const { status, body } = await replyTo(outgoing);
    outgoing.destroy();
    const sentence = "This message and its attachments are too large: more than 100000 bytes.";
    expect(status).toBe(200);
    expect(eventsOf(body)).toEqual([
      ["meta", { content_type: "text/markdown", suggested_replies: false }],
      ["text", { text: sentence }],
      ["error", { allow_retry: false, text: sentence, error_type: "user_message_too_long" }],
      ["done", {}],
    ]);
  });

  it("answers a client that sends too much before it stops sending", async () => {
    const { port, read } = await startServer(kind);
    const outgoing = post(port, { ...bearer(OLD), "transfer-encoding": "chunked" });
    const replied = replyTo(outgoing);
    const part = "x".repeat(64 * 1024);
    let isOver = false;
    void replied.then(() => {
      isOver = true;
    });
    let sent = 0;
    while (!isOver && sent < 64 * 1024 ** 2) {
      sent += part.length;
      if (!outgoing.write(part)) await Promise.race([once(outgoing, "drain"), replied]);
    }
    expect(eventsOf((await replied).body).at(-1)).toEqual(["done", {}]);
    expect(read).toMatchObject([{ type: "too-large" }]);
    outgoing.destroy();
  });

  it("takes a body of exactly the cap", async () => {
    const { port } = await startServer(kind);
    const outgoing = post(port, { ...bearer(OLD), "transfer-encoding": "chunked" });
    const json = '{"type":"settings","pad":""}';
    outgoing.write(json.slice(0, 10));
    outgoing.end(json.slice(10).padEnd(MAX_BYTES - 10, " "));
    expect(await replyTo(outgoing)).toEqual({ status: 200, body: '{"type":"settings"}' });
  });

  it("rejects when the client leaves inside the body", async () => {
    const { port, read, server } = await startServer(kind);
    const socket = connect(port, "127.0.0.1");
    const arrived = once(server, "request");
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${OLD}\r\ncontent-length: 99\r\n\r\n{`,
    );
    await arrived;
    socket.destroy();
    await expect.poll(() => read).toEqual([expect.any(Error)]);
  });
});

describe("formatAnswer", () => {
  const reading = (body: unknown) => {
    const request = parsePoeRequest(body);
    if (request.type === "query") throw new Error("a query");
    return request;
  };

  it.each(["report_feedback", "report_reaction", "report_error"])("%s is answered {}", (type) => {
    expect(formatAnswer(reading({ type }))).toEqual({
      status: 200,
      headers: { "content-type": "application/json" },
      body: "{}",
    });
  });

  it("settings are those of the bot, checked", () => {
    const request = reading({ type: "settings" });
    expect(JSON.parse(formatAnswer(request).body)).toEqual(createSettings());
    const settings = { introduction_message: "Hi" };
    expect(JSON.parse(formatAnswer(request, settings).body)).toEqual(createSettings(settings));
    expect(() => formatAnswer(request, { introduction: "Hi" } as object)).toThrow(
      expect.objectContaining({ code: "bad-settings" }),
    );
  });

  it("a refusal is its own answer", () => {
    expect(formatAnswer({ type: "unauthorized", refusal: UNAUTHORIZED })).toBe(UNAUTHORIZED);
    expect(formatAnswer(reading({ type: "report_weather" })).status).toBe(501);
    expect(formatAnswer(reading("{")).status).toBe(400);
  });
});

it("a request without a body is malformed", async () => {
  const incoming = new Request("http://localhost/", { method: "POST", headers: bearer(OLD) });
  const { type } = await readPoeRequest(incoming, { keys: [OLD] });
  expect(type).toBe("malformed");
});

it("by default the cap is 64 MiB, and is called so", async () => {
  const headers = new Headers({ ...bearer(OLD), "content-length": String(MAX_REQUEST_BYTES + 1) });
  const seen = await readPoeRequest({ headers, body: null }, { keys: [OLD] });
  expect("refusal" in seen && seen.refusal.body).toContain("more than 64 MiB");
});

function eventsOf(body: string): unknown[] {
  const events: unknown[] = [];
  createParser({
    onEvent: ({ event, data }) => events.push([event, JSON.parse(data)]),
  }).feed(body);
  return events;
}
