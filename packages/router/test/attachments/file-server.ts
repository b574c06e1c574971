import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { DownloadPolicy } from "@acp-kit/router/attachments";

/** A real server on the loopback interface that remembers what it was asked. */
export async function startFileServer(answer: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A proxy whose every tunnel leads to one port of the loopback interface. */
export async function startTunnel(port: number) {
  const targets: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server = createServer();
  server.on("connect", (request, client: Socket, head) => {
    targets.push(request.url);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.push(socket);
      // The side that is left when the other ends has nothing more to say.
      socket.on("error", () => {});
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const own = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own.port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A policy for a server of a test: plain HTTP, its port, and the loopback interface. */
export function loopbackPolicy(port: number, more: Partial<DownloadPolicy> = {}): DownloadPolicy {
  return {
    hosts: ["127.0.0.1"],
    schemes: ["http:"],
    ports: [port],
    isAddressAllowed: (address) => address === "127.0.0.1",
    ...more,
  };
}
