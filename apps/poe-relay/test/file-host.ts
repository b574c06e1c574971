import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createCertificate } from "@acp-kit/testkit";

/** A host of files that is reached through a proxy only, and whose certificate the process has to be told to trust. */
export async function startFileHost(contents: (path: string) => Uint8Array) {
  const { cert, key } = createCertificate();
  const files = createTlsServer({ cert, key }, ({ url = "" }, response) =>
    response.end(contents(url)),
  );
  const proxy = createServer();
  const sockets = new Set<Socket>();
  const asked: (string | undefined)[] = [];
  await Promise.all(
    [files, proxy].map((server) => once(server.listen(0, "127.0.0.1"), "listening")),
  );
  proxy.on("connect", (request, client: Socket) => {
    asked.push(request.url);
    const upstream = connect((files.address() as AddressInfo).port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
  });
  return {
    cert,
    asked,
    proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      files.closeAllConnections();
      await Promise.all([files, proxy].map((server) => once(server.close(), "close")));
    },
  };
}
