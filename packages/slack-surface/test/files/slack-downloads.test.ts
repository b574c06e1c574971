import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { AttachmentError, checkUrl, type Downloads } from "@acp-kit/router/attachments";
import { type SharedFile, TestProxy } from "@acp-kit/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  attachmentsOf,
  createSlackDownloads,
  fileHostsOf,
  parseSlackEvent,
} from "../../src/index.ts";
import { startSlack } from "../rig.ts";

const bytes = Buffer.from("a,b\n1,2\n");
const table = { name: "table.csv", bytes };
const PARTNER = { user: "U0PARTNER", channel: "C0SHARED" };

type Options = Parameters<typeof startSlack>[0] & {
  readonly user?: string;
  readonly channel?: string;
  readonly hosts?: readonly string[];
};

/** Somebody shares a file: what the router would be given of it, and what it would fetch with. */
async function share(file: SharedFile, options: Options = {}) {
  const { user = "U0ANA", channel = "C0SHOP", hosts = [], ...more } = options;
  const rig = await startSlack(more);
  const { slack, clock } = rig;
  const { apiUrl, app, team } = slack;
  const downloads = createSlackDownloads({ token: app.botToken, apiUrl, hosts, clock });
  onTestFinished(() => downloads[Symbol.asyncDispose]());
  slack.person(user).say(channel, "look", { files: [file] });
  const identity = { team, app: app.id, botUser: app.bot, botId: app.botId };
  const [attachment] = slack.deliveries.flatMap(({ payload }) => {
    const heard = parseSlackEvent(payload, { identity });
    return heard.kind === "message" ? attachmentsOf(heard.files) : [];
  });
  if (!attachment) throw new Error("no file was heard of");
  return { ...rig, downloads, attachment };
}

async function get(downloads: Downloads, url: string | undefined) {
  await using download = await downloads.fetch({ url: url ?? "", maxBytes: 1_000 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of download.body) chunks.push(chunk);
  return { name: download.name, body: Buffer.concat(chunks).toString() };
}

/** Why it could not be fetched: in words for people, or by its code. */
async function whyNot(downloads: Downloads, url: string): Promise<string> {
  try {
    await get(downloads, url);
    return "fetched";
  } catch (error) {
    if (!(error instanceof AttachmentError)) throw error;
    return error.reason ?? error.code;
  }
}

describe("a file of a message", () => {
  test("is fetched with the bot's token, which stands in no URL", async () => {
    const { slack, downloads, attachment } = await share(table);
    expect(attachment).toMatchObject({ name: "table.csv", contentType: "text/csv" });
    expect(attachment.url).not.toContain(slack.app.botToken);
    expect((await get(downloads, attachment.url)).body).toBe(bytes.toString());
    expect(slack.calls).toEqual([]);
  });

  test("has a version that more readers take, where the platform made one", async () => {
    const rendition = { bytes: Buffer.from("small"), mimetype: "image/jpeg" };
    const photo = { name: "photo.heic", bytes, rendition };
    const { downloads, attachment } = await share(photo);
    expect((await get(downloads, attachment.renditionUrl)).body).toBe("small");
  });

  test("that is a page of HTML itself is fetched", async () => {
    const page = { name: "page.html", mimetype: "text/html", bytes: Buffer.from("<html>own") };
    const { downloads, attachment } = await share(page);
    expect((await get(downloads, attachment.url)).body).toBe("<html>own");
  });

  test("of a partner is asked for first, and has its name then", async () => {
    const rendition = { bytes: Buffer.from("small"), mimetype: "image/jpeg" };
    const photo = { name: "photo.heic", bytes, rendition };
    const { downloads, attachment } = await share(photo, PARTNER);
    expect(attachment.name).toBe("");
    expect(await get(downloads, attachment.url)).toEqual({
      name: "photo.heic",
      body: bytes.toString(),
    });
    expect((await get(downloads, attachment.renditionUrl)).body).toBe("small");
  });

  test("is asked for again when that was limited, after the time that was given", async () => {
    const { slack, clock, downloads, attachment } = await share(table, PARTNER);
    slack.fail("files.info", { kind: "rate-limit", retryAfterS: 30 });
    const got = get(downloads, attachment.url);
    const moving = setInterval(() => clock.advance(1_000), 1);
    expect((await got).body).toBe(bytes.toString());
    clearInterval(moving);
    expect(slack.calls.filter(({ method }) => method === "files.info")).toHaveLength(2);
  });
});

describe("what cannot be had is told in words:", () => {
  const scopes = ["channels:history", "chat:write"];

  test.each<[string, SharedFile, Options, string]>([
    [
      "without files:read, which Slack answers with a page and status 200",
      table,
      { app: { scopes } },
      "this app lacks the scope files:read",
    ],
    [
      "a page in the place of a file that is a page itself",
      { name: "page.html", mimetype: "text/html", bytes },
      { app: { scopes } },
      "this app lacks the scope files:read",
    ],
    [
      "a partner's file without files:read",
      table,
      { ...PARTNER, app: { scopes } },
      "this app lacks the scope files:read",
    ],
    [
      "a document of another service",
      { ...table, externalUrl: "https://docs.example/d/1" },
      {},
      "it is kept outside of Slack, at docs.example",
    ],
    [
      "a canvas",
      { ...table, mode: "quip" },
      {},
      "canvases and lists are no files that can be fetched",
    ],
    [
      "a partner's canvas",
      { ...table, mode: "canvas" },
      PARTNER,
      "canvases and lists are no files that can be fetched",
    ],
  ])("%s", async (_what, file, options, why) => {
    const { downloads, attachment } = await share(file, options);
    expect(await whyNot(downloads, attachment.url)).toBe(why);
  });

  test.each([
    ["file_deleted", "it was deleted"],
    ["token_revoked", "Slack does not take this bot's token any more"],
    ["some_new_word", "Slack refused it (some_new_word)"],
    ["<!channel>", "Slack refused it (?)"],
  ])("the platform's %s", async (error, why) => {
    const { slack, downloads, attachment } = await share(table, PARTNER);
    slack.fail("files.info", { kind: "error", error });
    expect(await whyNot(downloads, attachment.url)).toBe(why);
  });

  test("an answer that never came", async () => {
    const { slack, downloads, attachment } = await share(table, PARTNER);
    slack.fail("files.info", { kind: "break" });
    expect(await whyNot(downloads, attachment.url)).toBe("network");
  });

  test("a page for signing in although everything is granted", async () => {
    const { slack, downloads, attachment } = await share(table);
    const headers = { "content-type": "text/html; charset=utf-8" };
    slack.fail("download", { kind: "answer", status: 200, body: "<!DOCTYPE html>", headers });
    expect(await whyNot(downloads, attachment.url)).toMatch(/page for signing in/);
  });
});

describe("C23: the bot's token", () => {
  /** A server that is not Slack's, and what it was sent. */
  async function startOther() {
    const tokens: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      tokens.push(headers.authorization);
      response.end("other");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return { tokens, url: `http://127.0.0.1:${port}/` };
  }

  test("goes along no redirect: to another place there is none", async () => {
    const { slack, downloads, attachment } = await share(table);
    const other = await startOther();
    const headers = { location: other.url };
    slack.fail("download", { kind: "answer", status: 302, body: "", headers });
    expect(await whyNot(downloads, attachment.url)).toBe("url");
    expect(other.tokens).toEqual([]);
  });

  test("is not sent to another name of Slack's either", async () => {
    const { slack, downloads, attachment } = await share(table);
    const location = attachment.url.replace("127.0.0.1", "localhost");
    slack.fail("download", { kind: "answer", status: 302, body: "", headers: { location } });
    // Without it there is only the page for signing in.
    expect(await whyNot(downloads, attachment.url)).toMatch(/page for signing in/);
  });

  test("is not sent to hosts of the operator's, nor to a URL that only looks like Slack's", async () => {
    const { downloads } = await share(table, { hosts: ["files.example"] });
    // Not a public address: nothing is connected to.
    expect(await whyNot(downloads, "https://10.0.0.1/a")).toMatch(/outside of Slack/);
    expect(await whyNot(downloads, "http://files.example/a")).toBe("url");
    expect(await whyNot(downloads, "https://files.slack.com.example/a")).toMatch(/outside/);
    const other = await startOther();
    expect(await whyNot(downloads, other.url)).toBe("url");
    expect(other.tokens).toEqual([]);
  });

  test("goes over TLS to Slack's hosts and those below them, and never to the operator's", async () => {
    const tokens: Record<string, string | undefined> = {};
    const server = createServer(({ headers, url }, response) => {
      tokens[`${headers.host}${url}`] = headers.authorization;
      if (url === "/leave") response.writeHead(302, { location: "https://files.example/left" });
      response.end("body");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const names = ["slack.com", "files.slack.com", "files.example", "below.files.example"];
    const proxy = await TestProxy.start(Object.fromEntries(names.map((name) => [name, port])));
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const trusted = getCACertificates("default");
    setDefaultCACertificates([...trusted, proxy.cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const hosts = ["files.example", "*.files.example"];
    const downloads = createSlackDownloads({ token: "xoxb-1", hosts, proxy: proxy.url });
    onTestFinished(() => downloads[Symbol.asyncDispose]());
    for (const name of names) expect(await whyNot(downloads, `https://${name}/a`)).toBe("fetched");
    expect(await whyNot(downloads, "https://files.slack.com/leave")).toBe("host");
    expect(tokens).toEqual({
      "slack.com/a": "Bearer xoxb-1",
      "files.slack.com/a": "Bearer xoxb-1",
      "files.example/a": undefined,
      "below.files.example/a": undefined,
      "files.slack.com/leave": "Bearer xoxb-1",
    });
  });

  test.each([
    ["https://files.slack.com/a", true],
    ["https://slack.com/a", true],
    ["https://acme.slack.com/a", true],
    ["http://files.slack.com/a", false],
    ["https://files.slack.com:8443/a", false],
    ["https://slack.com.example/a", false],
    ["https://notslack.com/a", false],
    ["https://127.0.0.1/a", false],
    ["http://127.0.0.1:3000/a", false],
  ])("belongs, without another Web API, to Slack's hosts over HTTPS: %s %s", (url, isOwn) => {
    const check = () => checkUrl(url, fileHostsOf()).href;
    if (isOwn) expect(check()).toBe(url);
    else expect(check).toThrow(AttachmentError);
  });

  test("belongs to another Web API's hosts, and to this machine only where that API is", () => {
    expect(fileHostsOf("https://slack-gov.com/api/")).toEqual({
      hosts: ["slack-gov.com", "*.slack-gov.com"],
    });
    const { isAddressAllowed = () => true, ...own } = fileHostsOf("http://127.0.0.1:3000/api/");
    expect(own).toMatchObject({ schemes: ["http:"], ports: [3000], sendsTokenToLoopback: true });
    expect(["127.0.0.1", "::1", "10.0.0.1", "1270.0.0.1"].map(isAddressAllowed)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
