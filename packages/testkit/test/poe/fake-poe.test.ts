import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import {
  createParameterControls,
  createPoeClient,
  createSettings,
  type PoeClient,
  type PoeClientOptions,
  PoeProtocolError,
} from "@acp-kit/poe-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakePoe } from "../../src/poe/fake-poe.ts";
import { waitFor } from "../../src/wait-for.ts";

/** No letter of it needs escaping in a path, so that only hiding it keeps it out of sight. */
const KEY = "0123456789abcdef0123456789abcdef";
const BOT = "Größe & Co";
const MARKED = "!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"x";

let poe: FakePoe;
let client: PoeClient;
const clientOf = (options: Partial<PoeClientOptions> = {}) =>
  createPoeClient({
    accessKey: KEY,
    bot: BOT,
    apiUrl: poe.apiUrl,
    uploadUrl: poe.uploadUrl,
    ...options,
  });

beforeEach(async () => {
  poe = await FakePoe.start({ accessKey: KEY, bot: BOT });
  client = clientOf();
});
afterEach(async () => {
  expect(poe.violations).toEqual([]);
  await poe[Symbol.asyncDispose]();
});

const CALLS: [string, (client: PoeClient, signal?: AbortSignal) => Promise<unknown>][] = [
  ["uploadFile", (client, signal) => client.uploadFile({ file: BYTES, name: "a.txt" }, signal)],
  ["refetchSettings", (client, signal) => client.refetchSettings(signal)],
  ["pushSettings", (client, signal) => client.pushSettings({}, signal)],
  ["authorizeCost", (client, signal) => client.authorizeCost("q", ITEM, signal)],
  ["captureCost", (client, signal) => client.captureCost("q", ITEM, signal)],
];
const BYTES = Buffer.from("héllo\0");
const ITEM = { amount_usd_milli_cents: 5 };

describe("uploadFile", () => {
  it("gives the data of the file event that shows the bytes", async () => {
    const data = await client.uploadFile({ file: BYTES, name: 'a "b"\n.txt', contentType: "a/b" });
    expect(data).toEqual({
      url: `${poe.apiUrl}files/1`,
      content_type: "a/b",
      name: 'a "b"\n.txt',
      inline_ref: null,
    });
    expect(poe.uploads).toEqual([{ name: 'a "b"\n.txt', contentType: "a/b", bytes: BYTES }]);
  });

  it("takes a blob, and leaves the type to Poe", async () => {
    await client.uploadFile({ file: new Blob(["a", "b"]), name: "x" });
    expect(poe.uploads[0]).toMatchObject({ name: "x", bytes: Buffer.from("ab") });
  });

  it.each([
    [
      "with its name",
      { url: "https://example.org/a%20b.png?x=1", name: "c.png" },
      "c.png",
      "c.png",
    ],
    ["named by the URL", { url: "https://example.org/a%20b.png?x=1" }, undefined, "a b.png"],
    ["without any name", { url: "https://example.org/" }, undefined, "file"],
    ["with a name that decodes to nothing", { url: "https://example.org/%ff" }, undefined, "%ff"],
  ])("lets Poe fetch a URL %s", async (_, file, sent, shown) => {
    const { name } = await client.uploadFile(file);
    expect(name).toBe(shown);
    expect(poe.uploads).toEqual([sent ? { url: file.url, name: sent } : { url: file.url }]);
  });

  it("a file that is gone when it is read is refused", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "fake-poe-"));
    const blob = await writeFile(path.join(folder, "a"), "x").then(() =>
      openAsBlob(path.join(folder, "a")),
    );
    await rm(folder, { recursive: true });
    await expect(client.uploadFile({ file: blob, name: "a" })).rejects.toMatchObject({
      code: "bad-call",
    });
  });

  it.each([
    ["no name", { file: BYTES, name: "" }],
    ["more than 50 MiB", { file: new Uint8Array(50 * 1024 * 1024 + 1), name: "big" }],
    ["a URL that is none", { url: "example.org/a" }],
  ])("%s is refused before anything is sent", async (_, file) => {
    await expect(client.uploadFile(file)).rejects.toMatchObject({ code: "bad-call" });
    expect(poe.uploads).toEqual([]);
  });

  it.each(["", "{}", '{"attachment_url":null,"mime_type":"a/b"}', "[]", "<html>"])(
    "an answer of %j is none",
    async (body) => {
      poe.fail({ kind: "answer", status: 200, body });
      await expect(client.uploadFile({ file: BYTES, name: "x" })).rejects.toMatchObject({
        code: "bad-answer",
      });
    },
  );
});

describe("settings", () => {
  const controls = createParameterControls([{ controls: [{ control: "divider" }] }]);

  it("are pushed whole, and Poe's echo tells that the controls were kept", async () => {
    const echo = await client.pushSettings({ parameter_controls: controls });
    expect(poe.settings).toEqual([createSettings({ parameter_controls: controls })]);
    expect(echo.controls).toBe("kept");
    expect(echo.text).toContain("'response_version': 2");
  });

  it("that Poe would drop are not pushed", async () => {
    const wrong = { allow_attachment: true } as object;
    await expect(client.pushSettings(wrong)).rejects.toMatchObject({ code: "bad-settings" });
    expect(poe.settings).toEqual([]);
  });

  it.each([
    ["dropped", "{'parameter_controls': None, 'x': 1}"],
    ["dropped", '{"parameter_controls":null}'],
    ["kept", '{"parameter_controls": {"api_version": "2"}}'],
    ["unknown", "Settings updated."],
    ["unknown", ""],
  ])("the controls are %s in %j", async (state, body) => {
    poe.fail({ kind: "answer", status: 200, body });
    expect((await client.refetchSettings()).controls).toBe(state);
  });

  it("need a bot", async () => {
    const nameless = createPoeClient({ accessKey: KEY, apiUrl: poe.apiUrl });
    await expect(nameless.refetchSettings()).rejects.toMatchObject({ code: "bad-call" });
    for (const bot of ["", ".", "..", "\ud83d"]) {
      await expect(clientOf({ bot }).refetchSettings()).rejects.toMatchObject({ code: "bad-call" });
    }
  });
});

describe("cost", () => {
  it("is authorised, then captured, until the person has no more", async () => {
    poe.funds = 100;
    await client.authorizeCost("q/1", { amount_usd_milli_cents: 60.2, description: "Work" });
    await client.captureCost("q/1", [
      { amount_usd_milli_cents: 50.1 },
      { amount_usd_milli_cents: 9 },
    ]);
    expect(poe.funds).toBe(40);
    expect(poe.costs).toEqual([
      {
        verb: "authorize",
        botQueryId: "q/1",
        amounts: [{ amount_usd_milli_cents: 61, description: "Work" }],
      },
      {
        verb: "capture",
        botQueryId: "q/1",
        amounts: [
          { amount_usd_milli_cents: 51, description: null },
          { amount_usd_milli_cents: 9, description: null },
        ],
      },
    ]);
    const more = client.authorizeCost("q/1", { amount_usd_milli_cents: 41 });
    await expect(more).rejects.toMatchObject({ code: "insufficient-fund" });
  });

  it("closes the stream that Poe leaves open behind the result", async () => {
    await client.authorizeCost("q", ITEM);
    await waitFor("the connection to close", () => poe.open === 0);
  });

  it.each([
    ["bad-answer", ""],
    ["bad-answer", "event: other\ndata: {}\n\n"],
    ["bad-answer", 'event: result\ndata: {"status":1}\n\n'],
    ["bad-answer", "event: result\ndata: success\n\n"],
    ["bad-answer", 'event: result\ndata: {"status":"success"}\n'],
    ["insufficient-fund", 'event: result\ndata: {"status":"denied"}\n\n'],
  ])("is %s after %j", async (code, body) => {
    poe.fail({ kind: "answer", status: 200, body });
    await expect(client.captureCost("q", ITEM)).rejects.toMatchObject({ code });
  });

  it.each([
    'event: result\ndata: {"status":"success"}\n\n',
    'event: result\r\ndata: {"status":"success"}\r\n\r\n',
    'event:result\rdata:{"status":\rdata:"success"}\r\rx',
    ': hi\n\nevent: x\ndata: {}\n\ndata: {"status":"success"}\nevent: result\nid: 1\n\n',
  ])("is agreed after %j", async (body) => {
    poe.fail({ kind: "answer", status: 200, body });
    await expect(client.captureCost("q", ITEM)).resolves.toBeUndefined();
  });

  it.each([
    ["no query", "", ITEM],
    ["a query that climbs", "..", ITEM],
    ["no amount", "q", []],
    ["a negative one", "q", { amount_usd_milli_cents: -1 }],
    ["one that is no number", "q", { amount_usd_milli_cents: Number.NaN }],
    ["an endless one", "q", { amount_usd_milli_cents: Number.POSITIVE_INFINITY }],
  ])("of %s is refused before anything is sent", async (_, id, items) => {
    await expect(client.authorizeCost(id, items)).rejects.toMatchObject({ code: "bad-call" });
    expect(poe.costs).toEqual([]);
  });
});

describe.each(CALLS)("%s", (_, call) => {
  it("says what Poe said when it refuses", async () => {
    poe.fail({ kind: "answer", status: 503, body: "try\r\n \u001b later" });
    await expect(call(client)).rejects.toMatchObject({
      code: "refused",
      status: 503,
      message: expect.stringMatching(/was refused with 503: try later$/),
    });
  });

  it("quotes no more than 500 characters", async () => {
    poe.fail({ kind: "answer", status: 500, body: "😀".repeat(10_000) });
    const error = await errorOf(call(client));
    expect(error.message.match(/😀/gu)).toHaveLength(500);
  });

  it("follows no redirect: the key stays with its host", async () => {
    await using other = await FakePoe.start({ accessKey: KEY, bot: BOT });
    poe.fail({ kind: "answer", status: 307, body: "", headers: { location: other.apiUrl } });
    expect(await errorOf(call(client))).toMatchObject({ code: "refused", status: 307 });
    expect(other.violations).toEqual([]);
  });

  it("ends at its time limit", async () => {
    const timeouts = { uploadMs: 20, settingsMs: 20, costMs: 20 };
    poe.fail({ kind: "silence" });
    const error = await errorOf(call(clientOf({ timeouts })));
    expect(error).toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/within 20 ms/),
    });
    await waitFor("the connection to close", () => poe.open === 0);
  });

  it("ends with the reason of its signal", async () => {
    const reason = new Error("stopped");
    const stop = new AbortController();
    poe.fail({ kind: "silence" });
    const running = call(client, stop.signal);
    running.catch(() => {});
    await waitFor("the call", () => poe.open === 1);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(call(client, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each([
    ["a cut", () => poe.fail({ kind: "cut" }), () => client],
    ["nobody there", () => {}, () => clientOf(nowhere)],
    ["a host without a name", () => {}, () => clientOf(noHost)],
  ])("%s is unreachable", async (_, prepare, make) => {
    prepare();
    expect(await errorOf(call(make()))).toMatchObject({ code: "unreachable" });
  });

  it.each([KEY, MARKED])("never shows the key %s", async (accessKey) => {
    const hostile = `no key ${accessKey} ${encodeURIComponent(accessKey)} ${JSON.stringify(accessKey)}`;
    const timeouts = { uploadMs: 20, settingsMs: 20, costMs: 20 };
    const keyed = clientOf({ accessKey, timeouts });
    const seen: unknown[] = [keyed];
    for (const status of [200, 400, 404]) {
      poe.fail({ kind: "answer", status, body: hostile });
      seen.push(await call(keyed).catch((error: unknown) => error));
    }
    poe.fail({ kind: "silence" });
    seen.push(await errorOf(call(keyed)));
    poe.fail({ kind: "cut" });
    seen.push(await errorOf(call(keyed)));
    seen.push(await errorOf(call(clientOf({ accessKey, ...nowhere }))));
    for (const each of seen) expectWithout(accessKey, each);
  });
});

it.each(["", "with space", "line\nend", "größe"])("a key %j is refused, and not shown", (key) => {
  const make = () => createPoeClient({ accessKey: key });
  expect(make).toThrow(PoeProtocolError);
  if (key !== "") expect(make).toThrow(expect.not.stringContaining(key));
});

it.each(["api.poe.com", "mailto:poe", "", "file:///poe"])("a base %j is refused early", (url) => {
  for (const base of [{ apiUrl: url }, { uploadUrl: url }]) {
    const error = (() => {
      try {
        return createPoeClient({ accessKey: KEY, ...base });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: "bad-call" });
    expectWithout(KEY, error);
  }
});

const nowhere = { apiUrl: "http://127.0.0.1:1", uploadUrl: "http://127.0.0.1:1" };
const noHost = { apiUrl: "http://poe.invalid/", uploadUrl: "http://poe.invalid/" };

async function errorOf(call: Promise<unknown>): Promise<PoeProtocolError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PoeProtocolError)) throw new Error(`Not refused: ${String(error)}`);
  return error;
}

/** In whatever way somebody may log it. */
function expectWithout(key: string, value: unknown): void {
  const shown = [
    String(value),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    JSON.stringify(value, value instanceof Error ? Object.getOwnPropertyNames(value) : undefined),
  ].join("\n");
  for (const spelling of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)]) {
    expect(shown).not.toContain(spelling);
  }
}
