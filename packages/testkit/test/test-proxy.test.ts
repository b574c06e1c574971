import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { TestProxy } from "../src/index.ts";

async function start() {
  const host = createServer((asked, response) => response.end(`at ${asked.headers.host}`));
  await once(host.listen(0, "127.0.0.1"), "listening");
  const { port } = host.address() as AddressInfo;
  const proxy = await TestProxy.start({ "shop.example": port }, "ana:secret");
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    host.close().closeAllConnections();
  });
  return proxy;
}

/** The status of a CONNECT, and its tunnel. */
async function tunnel({ url }: TestProxy, to: string, login: string) {
  const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  const { hostname, port } = new URL(url);
  const headers = { "proxy-authorization": authorization };
  const asked = request({ hostname, port, method: "CONNECT", path: to, headers }).end();
  const [{ statusCode }, socket] = await once(asked, "connect");
  return { statusCode, socket };
}

test("a tunnel to one of its names leads, by its certificate, to that host's server", async () => {
  const proxy = await start();
  const { statusCode, socket } = await tunnel(proxy, "shop.example:443", "ana:secret");
  expect(statusCode).toBe(200);
  const tls: TLSSocket = connect({ socket, servername: "shop.example", ca: proxy.cert });
  tls.end("GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n");
  let answer = "";
  for await (const piece of tls) answer += String(piece);
  expect(answer).toContain("at shop.example");
  expect(proxy.asked).toEqual(["shop.example:443"]);
});

test.each([
  ["another name", "other.example:443", "ana:secret", 502],
  ["another port", "shop.example:80", "ana:secret", 502],
  ["another password", "shop.example:443", "ana:guess", 407],
])("there is no way to %s", async (_, to, login, status) => {
  const { statusCode, socket } = await tunnel(await start(), to, login);
  expect(statusCode).toBe(status);
  socket.destroy();
});
