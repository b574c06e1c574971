import type { LookupFunction } from "node:net";
import { createDownloads, type DownloadPolicy } from "@acp-kit/router/attachments";
import { describe, expect, it, vi } from "vitest";
import { loopbackPolicy, startFileServer, startTunnel } from "./file-server.ts";

const MAX = 1000;

/** A resolver that gives each question the next of some answers. */
function answering(...answers: readonly (readonly string[])[]): LookupFunction & { asked: number } {
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const answer = answers[Math.min(resolver.asked, answers.length - 1)] ?? [];
    resolver.asked += 1;
    const all = answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
  const resolver = Object.assign(lookup, { asked: 0 });
  return resolver;
}

async function fetchText(policy: DownloadPolicy, url: string, more: object = {}) {
  await using downloads = createDownloads(policy);
  await using download = await downloads.fetch({ url, maxBytes: MAX, ...more });
  const { contentType, body } = download;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { contentType, text: Buffer.concat(chunks).toString() };
}

describe("a download", () => {
  it("brings type and bytes", async () => {
    await using server = await startFileServer((_request, response) => {
      response.setHeader("content-type", "text/plain").end("hello");
    });
    const got = await fetchText(loopbackPolicy(server.port), `${server.url}/a`);
    expect(got).toEqual({ contentType: "text/plain", text: "hello" });
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("contacts no address that is not public unless told so (C23)", async () => {
    await using server = await startFileServer((_request, response) => response.end("secret"));
    const { isAddressAllowed: _, ...policy } = loopbackPolicy(server.port, { hosts: ["*"] });
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"]) {
      const got = fetchText(policy, `http://${host}:${server.port}/`);
      await expect(got).rejects.toMatchObject({ code: "address" });
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    [["127.0.0.1"]],
    [["203.0.113.9", "127.0.0.1"]],
    [["::ffff:127.0.0.1"]],
    [["fe80::1"]],
    [[]],
  ])("does not connect when the name is at %j (C23)", async (addresses) => {
    await using server = await startFileServer((_request, response) => response.end("secret"));
    const policy = loopbackPolicy(server.port, {
      hosts: ["files.example"],
      lookup: answering(addresses),
      isAddressAllowed: (address) => address === "203.0.113.9",
    });
    await expect(fetchText(policy, `http://files.example:${server.port}/`)).rejects.toMatchObject({
      code: "address",
    });
    expect(server.requests).toHaveLength(0);
  });

  it("asks for the address once and goes where it was checked, however the answer changes (C23)", async () => {
    await using server = await startFileServer((_request, response) => response.end("fine"));
    const lookup = answering(["127.0.0.1"], ["127.0.0.2"]);
    const policy = loopbackPolicy(server.port, { hosts: ["files.example"], lookup });
    const got = await fetchText(policy, `http://files.example:${server.port}/`);
    expect(got.text).toBe("fine");
    expect(lookup.asked).toBe(1);
  });

  it("checks the address again for a redirect to the same name (C23)", async () => {
    await using server = await startFileServer((request, response) => {
      response.writeHead(302, { location: "/again", connection: "close" }).end();
      request.socket.end();
    });
    const lookup = answering(["127.0.0.1"], ["127.0.0.2"]);
    const policy = loopbackPolicy(server.port, { hosts: ["files.example"], lookup });
    await expect(fetchText(policy, `http://files.example:${server.port}/`)).rejects.toMatchObject({
      code: "address",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("follows redirects and checks each hop (C23)", async () => {
    await using server = await startFileServer((request, response) => {
      const to = new URL(request.url ?? "", "http://a").searchParams.get("to");
      if (to === null) response.end("arrived");
      else response.writeHead(302, { location: to }).end("moved");
    });
    const policy = loopbackPolicy(server.port);
    const go = (to: string) => fetchText(policy, `${server.url}/?to=${encodeURIComponent(to)}`);
    expect((await go("/fine")).text).toBe("arrived");
    for (const [to, code] of [
      ["http://169.254.169.254/latest", "url"],
      [`http://169.254.169.254:${server.port}/`, "host"],
      [`http://localhost:${server.port}/`, "host"],
      ["file:///etc/passwd", "url"],
      [`http://ada:secret@127.0.0.1:${server.port}/`, "url"],
      ["gopher://127.0.0.1/", "url"],
    ] as const) {
      await expect(go(to)).rejects.toMatchObject({ code });
    }
  });

  it("gives up on a redirect that never ends or leads nowhere", async () => {
    await using server = await startFileServer((request, response) => {
      const headers = request.url === "/nowhere" ? {} : { location: "/round" };
      response.writeHead(307, headers).end();
    });
    const policy = loopbackPolicy(server.port);
    for (const place of ["/round", "/nowhere"]) {
      await expect(fetchText(policy, server.url + place)).rejects.toMatchObject({
        code: "redirects",
      });
    }
    expect(server.requests).toHaveLength(7);
  });

  it("sends no token without TLS (C23)", async () => {
    await using server = await startFileServer((_request, response) => response.end());
    await fetchText(loopbackPolicy(server.port), server.url, { bearer: "planted" });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("takes no token along to another origin, and has it back where it began (C23)", async () => {
    const tokens: (string | undefined)[] = [];
    await using other = await startFileServer(({ headers }, response) => {
      tokens.push(headers.authorization);
      response.writeHead(302, { location: `${server.url}/end` }).end();
    });
    await using server = await startFileServer(({ url = "", headers }, response) => {
      tokens.push(headers.authorization);
      const location = { "/": "/again", "/again": other.url }[url];
      if (location === undefined) response.end("arrived");
      else response.writeHead(302, { location }).end();
    });
    const policy = loopbackPolicy(server.port, {
      ports: [server.port, other.port],
      sendsTokenToLoopback: true,
    });
    const got = await fetchText(policy, `${server.url}/`, { bearer: "planted" });
    expect(got.text).toBe("arrived");
    expect(tokens).toEqual(["Bearer planted", "Bearer planted", undefined, "Bearer planted"]);
  });

  it("takes no proxy from the environment (C23)", async () => {
    await using proxy = await startFileServer((_request, response) => response.end("proxied"));
    await using server = await startFileServer((_request, response) => response.end("direct"));
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"]) {
      vi.stubEnv(name, name.startsWith("NODE") ? "1" : proxy.url);
    }
    expect((await fetchText(loopbackPolicy(server.port), server.url)).text).toBe("direct");
    expect(proxy.requests).toHaveLength(0);
  });

  it("behind a proxy fetches only hosts that are named (C23)", async () => {
    await using proxy = await startFileServer((_request, response) => response.end("proxied"));
    const policy = loopbackPolicy(80, { proxy: proxy.url, hosts: ["*", "127.0.0.1"] });
    for (const url of ["http://any.example/", "http://127.0.0.1/"]) {
      await expect(fetchText(policy, url)).rejects.toMatchObject({ code: "host" });
    }
    expect(proxy.requests).toHaveLength(0);
  });

  it("goes through a configured proxy, which resolves the name", async () => {
    await using server = await startFileServer((_request, response) => response.end("fine"));
    await using proxy = await startTunnel(server.port);
    const policy = loopbackPolicy(server.port, {
      proxy: proxy.url,
      hosts: ["files.example"],
      isAddressAllowed: () => false,
    });
    const got = await fetchText(policy, `http://files.example:${server.port}/`);
    expect(got.text).toBe("fine");
    expect(proxy.targets).toEqual([`files.example:${server.port}`]);
  });

  it.each([
    [404, {}, "status"],
    [500, {}, "status"],
    [304, {}, "status"],
    [200, { "content-encoding": "gzip" }, "encoding"],
    [200, { "content-length": `${MAX + 1}` }, "too-large"],
  ])("ends at an answer of %s with %j as %s", async (status, headers, code) => {
    await using server = await startFileServer((_request, response) => {
      response.writeHead(status, headers).flushHeaders();
      response.end();
    });
    const got = fetchText(loopbackPolicy(server.port), server.url);
    await expect(got).rejects.toMatchObject({ code });
  });

  it("takes a body of exactly the cap, and not one byte more", async () => {
    await using server = await startFileServer((request, response) => {
      // Without a content-length, so that only counting can tell.
      response.write("x".repeat(MAX - 1));
      response.end(request.url === "/over" ? "xx" : "x");
    });
    const policy = loopbackPolicy(server.port);
    expect((await fetchText(policy, `${server.url}/fits`)).text).toHaveLength(MAX);
    await expect(fetchText(policy, `${server.url}/over`)).rejects.toMatchObject({
      code: "too-large",
    });
  });

  it("ends a server that does not begin, pauses, or never finishes", async () => {
    await using server = await startFileServer((request, response) => {
      if (request.url === "/silent") return;
      response.write("a");
      if (request.url === "/pauses") return;
      const drip = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(drip));
    });
    const policy = (more: Partial<DownloadPolicy>) => loopbackPolicy(server.port, more);
    for (const [place, more] of [
      ["/silent", { beginMs: 100 }],
      ["/pauses", { pauseMs: 100 }],
      ["/drips", { totalMs: 300 }],
    ] as const) {
      const got = fetchText(policy(more), server.url + place);
      await expect(got).rejects.toMatchObject({ code: "timeout" });
    }
  });

  it("ends when it is stopped, before and within the body", async () => {
    await using server = await startFileServer((request, response) => {
      if (request.url === "/body") response.write("a");
      stop.abort();
    });
    let stop = new AbortController();
    for (const place of ["/silent", "/body"]) {
      stop = new AbortController();
      const got = fetchText(loopbackPolicy(server.port), server.url + place, {
        signal: stop.signal,
      });
      await expect(got).rejects.toMatchObject({ code: "stopped" });
    }
  });

  it("says of a connection that breaks that the network failed, and nothing of the URL (C27)", async () => {
    await using server = await startFileServer((request, response) => {
      response.write("a", () => request.socket.destroy());
    });
    const got = fetchText(loopbackPolicy(server.port), `${server.url}/secret-path?token=planted`);
    const error = await got.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "network" });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/secret-path|planted/);
  });
});
