import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
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
