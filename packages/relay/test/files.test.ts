import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DEFAULT_OPTIONS } from "@acp-kit/router";
import { expect, test } from "vitest";
import { configSchema } from "../src/config/schema.ts";
import { createFiles } from "../src/files/create-files.ts";
import type { SurfaceBot } from "../src/surface.ts";

const bot: SurfaceBot = {
  name: "shop",
  settings: { surface: "poe", path: "/poe", accessKeys: [], defaults: {} },
  agent: "demo",
  workspace: "scratch",
  defaults: DEFAULT_OPTIONS,
};

function filesOf(attachments: object = {}, proxy?: string) {
  const config = configSchema.parse({ attachments, ...(proxy !== undefined && { proxy }) });
  return createFiles({ ...config, botOf: () => bot });
}

/** How fetching ends, by the error's code. */
async function fetched(files: ReturnType<typeof filesOf>, url: string): Promise<unknown> {
  const downloads = files.routerConfig.downloads?.("poe/shop/c");
  try {
    await using _download = await downloads?.fetch({ url, maxBytes: 1_000 });
    return "fetched";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

test.each([
  ["https://files.example.org/a", "host"],
  ["https://poecdn.net.example.org/a", "host"],
  ["https://169.254.169.254/latest", "host"],
  ["http://pfst.cf2.poecdn.net/a", "url"],
  ["https://pfst.cf2.poecdn.net:8443/a", "url"],
  ["file:///etc/passwd", "url"],
])(
  "C23: without a configuration nothing is fetched but from Poe's own hosts: %s",
  async (url, code) => {
    await using files = filesOf();
    expect(await fetched(files, url)).toBe(code);
  },
);

test("C23: a host of the configuration may be fetched from, but not at an address that is not public", async () => {
  await using files = filesOf({ hosts: ["localhost", "127.0.0.1"] });
  expect(await fetched(files, "https://localhost/a")).toBe("address");
  expect(await fetched(files, "https://127.0.0.1/a")).toBe("address");
});

test("C23: behind a proxy only hosts that are named are asked for, whatever else is allowed", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    asked.push(request.url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const { port } = proxy.address() as AddressInfo;
  await using files = filesOf({ hosts: ["*"] }, `http://127.0.0.1:${port}`);
  expect(await fetched(files, "https://files.example.org/a")).toBe("host");
  expect(await fetched(files, "https://10.0.0.1/a")).toBe("host");
  expect(await fetched(files, "https://pfst.cf2.poecdn.net/a")).toBe("network");
  expect(asked).toEqual(["pfst.cf2.poecdn.net:443"]);
  await new Promise((done) => proxy.close(done));
});

test("what an app itself brings fetches for each of its bots, made once, under the operator's rules", async () => {
  const { attachments } = configSchema.parse({ attachments: { hosts: ["docs.example"] } });
  const made: unknown[] = [];
  let ended = 0;
  const files = createFiles({
    attachments,
    botOf: (conversation) => ({ ...bot, name: conversation }),
    createDownloads: ({ name }, { hosts }) => {
      made.push([name, hosts]);
      return {
        fetch: async ({ url }) => {
          throw new Error(`${name} ${url}`);
        },
        [Symbol.asyncDispose]: async () => {
          ended += 1;
        },
      };
    },
  });
  const fetch = (conversation: string) =>
    files.routerConfig.downloads?.(conversation).fetch({ url: "x", maxBytes: 1 });
  await expect(fetch("one")).rejects.toThrow("one x");
  await expect(fetch("one")).rejects.toThrow("one x");
  await expect(fetch("two")).rejects.toThrow("two x");
  const hosts = ["docs.example"];
  expect(made).toEqual([
    ["one", hosts],
    ["two", hosts],
  ]);
  await files[Symbol.asyncDispose]();
  expect(ended).toBe(2);
});

test("C19: what may leave is the smaller of what Poe takes and the operator allows", async () => {
  await using files = filesOf({ send: { deny: ["*.db"], maxFiles: 500, maxBytes: 10 } });
  expect(files.routerConfig.sending?.("poe/shop/c")).toEqual({
    directive: "poe-attach",
    deny: ["*.db"],
    maxFiles: 20,
    maxFileBytes: 10,
  });
  await using closed = filesOf({ send: { allow: false } });
  expect(closed.routerConfig.sending?.("poe/shop/c")).toBeUndefined();
});

test.each([
  [["files-in"], undefined],
  [["files-out"], "slack-attach"],
] as const)("a Slack bot with the features %j sends by %s", async (features, directive) => {
  const { attachments } = configSchema.parse({});
  const transport = { kind: "socket", appToken: "xapp-1" } as const;
  const own = { surface: "slack", botToken: "xoxb-1", agentView: true, defaults: {} } as const;
  const settings = { ...own, transport, features: [...features] };
  await using files = createFiles({ attachments, botOf: () => ({ ...bot, settings }) });
  expect(files.routerConfig.sending?.("slack/shop/c")?.directive).toBe(directive);
});

test("the limits of the configuration are the router's", async () => {
  const attachments = { maxInlineImageBytes: 1, maxBytes: 2, quotaBytes: 3, ttlDays: 4 };
  await using files = filesOf(attachments);
  expect(files.routerConfig).toMatchObject({
    maxInlineImageBytes: 1,
    maxAttachmentBytes: 2,
    attachmentQuotaBytes: 3,
    attachmentTtlMs: 345_600_000,
  });
});
