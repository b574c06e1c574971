import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { TestProxy } from "@acp-kit/testkit";

/**
 * Files at `https://files.example`, and other hosts, for a relay whose only way out is a proxy.
 *
 * @param ports - Of the other hosts, by name.
 */
export async function startFileHost(
  contents: (path: string) => Uint8Array,
  ports: Readonly<Record<string, number>> = {},
) {
  const files = createServer(({ url = "" }, response) => response.end(contents(url)));
  await once(files.listen(0, "127.0.0.1"), "listening");
  const { port } = files.address() as AddressInfo;
  const proxy = await TestProxy.start(
    { "files.example": port, ...ports },
    "relay:planted-password",
  );
  const directory = mkdtempSync(path.join(tmpdir(), "host-"));
  const trusted = path.join(directory, "cert.pem");
  writeFileSync(trusted, proxy.cert);
  return {
    asked: proxy.asked,
    config: { proxy: proxy.url, attachments: { hosts: ["files.example"] } },
    env: { NODE_EXTRA_CA_CERTS: trusted },
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true });
      await proxy[Symbol.asyncDispose]();
      files.closeAllConnections();
      await once(files.close(), "close");
    },
  };
}
