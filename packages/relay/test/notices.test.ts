import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../src/log.ts";
import { createNotices } from "../src/notices/notices.ts";
import { watchDisk } from "../src/notices/watch-disk.ts";
import { watchReports } from "../src/notices/watch-reports.ts";
import { createWebhook } from "../src/notices/webhook.ts";
import { Redactor } from "../src/redactor.ts";
import { rejection, temporaryDirectory, within } from "./support.ts";

function createRig() {
  const lines: string[] = [];
  const clock = { now: 1_000_000_000 };
  const log = createLog({
    level: "info",
    write: (line) => lines.push(line),
    redactor: new Redactor(),
  });
  const notices = createNotices({ log, now: () => clock.now });
  onTestFinished(() => notices[Symbol.asyncDispose]());
  const sent: string[] = [];
  notices.addSink(async ({ kind, text }) => void sent.push(`${kind}: ${text}`));
  return { lines, clock, notices, sent };
}

test("a notice is told in the log and to every sink, and again only after six hours", () => {
  const { notices, sent, lines, clock } = createRig();
  notices.tell({ kind: "disk", text: "full" });
  notices.tell({ kind: "disk", text: "fuller" });
  clock.now += 6 * 3_600_000;
  notices.tell({ kind: "disk", text: "still full" });
  expect(sent).toEqual(["disk: full", "disk: still full"]);
  expect(lines).toHaveLength(2);
});

test("the same kind about something else is another notice", () => {
  const { notices, sent } = createRig();
  notices.tell({ kind: "budget", about: "u-ana", text: "one" });
  notices.tell({ kind: "budget", about: "u-bob", text: "two" });
  expect(sent).toEqual(["budget: one", "budget: two"]);
});

test("more than twelve in an hour stay in the log", () => {
  const { notices, sent, lines, clock } = createRig();
  for (let count = 0; count < 20; count += 1) {
    notices.tell({ kind: "budget", about: String(count), text: "reached" });
  }
  expect([sent.length, lines.length]).toEqual([12, 20]);
  clock.now += 3_600_001;
  notices.tell({ kind: "budget", about: "later", text: "reached" });
  expect(sent).toHaveLength(13);
});

test("a sink that fails is logged and keeps no other from being told", async () => {
  const { notices, sent, lines } = createRig();
  notices.addSink(() => Promise.reject(new Error("away")));
  notices.tell({ kind: "disk", text: "full" });
  await notices[Symbol.asyncDispose]();
  expect(sent).toEqual(["disk: full"]);
  expect(lines.join("")).toContain("was not delivered");
});

describe("what is told", () => {
  const died = { kind: "agent-exited", code: 1, signal: null, stderrTail: "planted" } as const;

  test("three deaths of agents within ten minutes, without their stderr", () => {
    const { notices, sent, clock } = createRig();
    const watch = watchReports(notices, () => clock.now);
    watch(died);
    watch(died);
    clock.now += 11 * 60_000;
    watch(died);
    watch({ ...died, code: 0 });
    expect(sent).toEqual([]);
    watch(died);
    watch(died);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/^crash-loop: /);
    expect(sent.join("")).not.toContain("planted");
  });

  test("a login that an agent wants", () => {
    const { notices, sent } = createRig();
    const watch = watchReports(notices, Date.now);
    const error = Object.assign(new Error("planted"), { code: -32000 });
    watch({ kind: "failure", conversation: "poe/shop/c", what: "turn", error, ref: "7F3K" });
    watch({ kind: "failure", conversation: "poe/shop/c", what: "turn", error: 1, ref: "7F3M" });
    expect(sent).toEqual(["login-expired: An agent wants somebody to log in again (ref 7F3K)."]);
  });

  test("a disk from 80 % on", async () => {
    const { notices, sent } = createRig();
    const looked = Promise.withResolvers<void>();
    const look = (use: number) => {
      using _ = watchDisk("/", notices, async () => {
        queueMicrotask(looked.resolve);
        return use;
      });
    };
    look(0.79);
    await looked.promise;
    expect(sent).toEqual([]);
    const told = Promise.withResolvers<string>();
    notices.addSink(async ({ text }) => told.resolve(text));
    look(0.8);
    expect(await within(told.promise)).toContain("80 % full");
  });
});

describe("the webhook", () => {
  async function listening(status = 204) {
    const directory = temporaryDirectory();
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const subject = [
      "-subj",
      "/CN=hooks.example.com",
      "-addext",
      "subjectAltName=DNS:hooks.example.com",
    ];
    const options = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    execFileSync(
      "openssl",
      [...options, "-nodes", "-days", "1", "-keyout", key, "-out", cert, ...subject],
      { stdio: "ignore" },
    );
    const bodies: string[] = [];
    const server = createServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      async (incoming, outgoing) => {
        let body = "";
        for await (const chunk of incoming) body += String(chunk);
        bodies.push(body);
        outgoing.writeHead(status, { location: "https://hooks.example.com/elsewhere" }).end();
      },
    ).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const lookup: LookupFunction = (_, __, callback) =>
      callback(null, [{ address: "127.0.0.1", family: 4 }]);
    const ca = readFileSync(cert, "utf8");
    const url = `https://hooks.example.com:${port}/x`;
    return { url, ca, lookup, bodies, port };
  }

  const notice = { kind: "disk", text: "full", at: 0 };

  test("gets the notice as JSON that chat platforms show", async () => {
    const { bodies, ...where } = await listening();
    await createWebhook({ ...where, allowPrivate: true, source: "relay one" })(notice);
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      {
        kind: "disk",
        text: "relay one: full",
        content: "relay one: full",
        at: "1970-01-01T00:00:00.000Z",
        source: "relay one",
      },
    ]);
  });

  test("is not called at an address of a private network unless that is configured, by name or literally", async () => {
    const { bodies, port, ...where } = await listening();
    const guarded = { ...where, allowPrivate: false, source: "relay" };
    expect(await rejection(createWebhook(guarded)(notice))).toMatchObject({ code: "address" });
    for (const host of ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254"]) {
      const url = `https://${host}:${port}/`;
      for (const isProxied of [false, true]) {
        const webhook = createWebhook({ ...guarded, url, isProxied });
        expect(await rejection(webhook(notice))).toMatchObject({
          message: "the webhook is at an address that may not be contacted",
        });
      }
    }
    expect(bodies).toEqual([]);
  });

  test.each([302, 500])("that answers %d has failed, and nobody else is called", async (status) => {
    const { bodies, ...where } = await listening(status);
    const webhook = createWebhook({ ...where, allowPrivate: true, source: "relay" });
    expect(await rejection(webhook(notice))).toMatchObject({
      message: `the webhook answered with status ${status}`,
    });
    expect(bodies).toHaveLength(1);
  });
});
