import { once } from "node:events";
import { existsSync, linkSync, renameSync, statSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HTTP_LIMITS, type HttpLimits, type Listener, listen } from "../src/listener.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { rejection, temporaryDirectory, within } from "./support.ts";

const log = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });

type Setup = {
  fetch?: (request: Request) => Response | Promise<Response>;
  limits?: Partial<HttpLimits>;
  host?: string;
  port?: number;
};

async function listening({ fetch, limits, host = "127.0.0.1", port = 0 }: Setup = {}) {
  const listener = await listen({
    address: { kind: "tcp", host, port },
    fetch: fetch ?? (() => new Response("hello")),
    setting: "--port",
    log,
    limits: { ...HTTP_LIMITS, ...limits },
  });
  onTestFinished(() => listener.close(0));
  return { listener, port: portOf(listener) };
}

function portOf({ address }: Listener): number {
  if (address.kind !== "tcp") throw new TypeError("not a port");
  return address.port;
}

/** A raw connection: what was sent back until the server closed it. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += String(chunk);
  });
  socket.on("error", () => {});
  await within(once(socket, "close"));
  return answer;
}

test("port 0 becomes the port that the system chose, and it answers there", async () => {
  const { port } = await listening();
  expect(port).toBeGreaterThan(0);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe("hello");
});

test("what fetch throws is a 500 without its text", async () => {
  const { port } = await listening({
    fetch: () => {
      throw new Error("secret detail");
    },
  });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret");
});

test("a port that is taken is said in one line with the cure", async () => {
  const { port } = await listening();
  const error = await rejection(listening({ port }));
  expect(error).toMatchObject({
    code: "port_taken",
    message: `port ${port} on 127.0.0.1 is taken by another process; choose another with --port`,
  });
});

test("an address of another machine is said in one line", async () => {
  const error = await rejection(listening({ host: "192.0.2.1" }));
  expect(error).toMatchObject({
    code: "listen_failed",
    message: expect.stringMatching(/is no address of this machine/),
  });
});

test("C29: a connection may idle longer than the usual proxies keep one", () => {
  expect(HTTP_LIMITS.keepAliveMs).toBeGreaterThanOrEqual(75_000);
});

test("C29: headers that do not come to an end are answered 408 and cut", async () => {
  const { port } = await listening({ limits: { headersMs: 100, requestMs: 200 } });
  expect(await exchange(port, "GET / HTTP/1.1\r\nhost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
});

test("C29: a body that does not come to an end is answered 408 and cut", async () => {
  const { port } = await listening({
    limits: { headersMs: 100, requestMs: 200 },
    fetch: async (asked) => new Response(await asked.text()),
  });
  const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n";
  expect(await exchange(port, `${head}abc`)).toMatch(/^HTTP\/1\.1 408 /);
});

test("C29: headers above the limit are answered 431", async () => {
  const { port } = await listening();
  const { maxHeaderBytes } = HTTP_LIMITS;
  const answer = await exchange(
    port,
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(maxHeaderBytes)}\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
});

function streaming() {
  let end = () => {};
  const fetch = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("begin "));
          end = () => {
            controller.enqueue(new TextEncoder().encode("end"));
            controller.close();
          };
        },
      }),
    );
  return { fetch, end: () => end() };
}

async function open(port: number, agent?: Agent): Promise<IncomingMessage> {
  const asked = get({ port, host: "127.0.0.1", ...(agent && { agent }) });
  asked.on("error", () => {});
  const [response] = (await within(once(asked, "response"))) as [IncomingMessage];
  response.on("error", () => {});
  return response;
}

test("closing waits for an open response, then lets its kept connection go at once", async () => {
  const { fetch, end } = streaming();
  const { listener, port } = await listening({ fetch });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const response = await open(port, agent);
  let text = "";
  response.on("data", (chunk) => {
    text += String(chunk);
  });
  const closed = listener.close(60_000);
  const refused = await rejection(once(connect(port, "127.0.0.1"), "connect"));
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  const ended = once(response, "end");
  end();
  await within(Promise.all([closed, ended]), 5_000);
  expect(text).toBe("begin end");
});

test("closing cuts what is still open after its bound", async () => {
  const { listener, port } = await listening({ fetch: streaming().fetch });
  const response = await open(port);
  const cut = new Promise((resolve) => response.once("close", resolve));
  response.resume();
  await within(Promise.all([listener.close(50), cut]), 5_000);
  expect(response.complete).toBe(false);
});

async function ask(socketPath: string): Promise<string> {
  const asked = request({ socketPath, path: "/" }).end();
  const [response] = (await within(once(asked, "response"))) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

function listenOn(path: string) {
  return listen({
    address: { kind: "socket", path },
    fetch: () => new Response("hello"),
    setting: "private.socket",
    log,
  });
}

test("C3: a Unix socket has mode 0600, answers, and is gone after closing", async () => {
  const path = join(temporaryDirectory(), "private.sock");
  const listener = await listenOn(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await ask(path)).toBe("hello");
  await listener.close(0);
  expect(existsSync(path)).toBe(false);
});

test("a socket file that a killed process left is replaced", async () => {
  const path = join(temporaryDirectory(), "private.sock");
  const dead = createServer();
  dead.listen(path);
  await once(dead, "listening");
  await leaveBehind(dead, path);
  expect(statSync(path).isSocket()).toBe(true);
  const listener = await listenOn(path);
  expect(await ask(path)).toBe("hello");
  await listener.close(0);
});

/** Ends a server without the removal of its file, as a kill does. */
async function leaveBehind(server: Server, path: string): Promise<void> {
  linkSync(path, `${path}.kept`);
  server.close();
  await once(server, "close");
  renameSync(`${path}.kept`, path);
}

test("a socket that somebody listens on, and a file that is no socket, are left alone", async () => {
  const root = temporaryDirectory();
  const taken = join(root, "taken.sock");
  const first = await listenOn(taken);
  onTestFinished(() => first.close(0));
  expect(await rejection(listenOn(taken))).toMatchObject({ code: "port_taken" });
  expect(await ask(taken)).toBe("hello");
  const file = join(root, "file");
  writeFileSync(file, "precious");
  expect(await rejection(listenOn(file))).toMatchObject({
    code: "port_taken",
    message: expect.stringContaining("private.socket"),
  });
  expect(statSync(file).size).toBe(8);
});

test("a path that is too long for a socket is said in one line with the cure", async () => {
  const error = await rejection(listenOn(join(temporaryDirectory(), "x".repeat(120))));
  expect(error).toMatchObject({
    code: "listen_failed",
    message: expect.stringMatching(/at most 103 bytes.*private\.socket/),
  });
});

test("a response that a surface has written itself is left alone, whenever the surface was loaded", async () => {
  let answer: (outgoing: ServerResponse) => Response = () => new Response();
  const listener = await listen({
    address: { kind: "tcp", host: "127.0.0.1", port: 0 },
    fetch: (_request, { outgoing }) => answer(outgoing as ServerResponse),
    setting: "--port",
    log,
  });
  onTestFinished(() => listener.close(0));
  // Loaded behind the first listener, as apps do.
  const { RESPONSE_ALREADY_SENT } = await import("@hono/node-server/utils/response");
  answer = (outgoing) => {
    outgoing.writeHead(200);
    outgoing.write("first, ");
    setTimeout(() => outgoing.end("last"), 50);
    return RESPONSE_ALREADY_SENT;
  };
  const response = await fetch(`http://127.0.0.1:${portOf(listener)}/`);
  expect(await response.text()).toBe("first, last");
});
