import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLog, Redactor } from "@acp-kit/relay";
import type { SentFile } from "@acp-kit/router";
import { openKeptFile } from "@acp-kit/router/attachments";
import { describe, expect, onTestFinished, test } from "vitest";
import { type SlackCaller, SlackUploads, type UploadOutcome } from "../../src/index.ts";
import { createQueue, startSlack } from "../rig.ts";

const channel = "C0SHOP";
const content = Buffer.from("a,b\n1,2\n");
const COMPLETE = "files.completeUploadExternal";

type Rig = Awaited<ReturnType<typeof startRig>>;

/** A thread, a kept file of the agent, and a process that may bring it there. */
async function startRig(options: Parameters<typeof startSlack>[0] = {}) {
  const rig = await startSlack(options);
  const { slack, clock } = rig;
  const thread = slack.person("U0ANA").say(channel, "send it");
  const filesDir = mkdtempSync(path.join(tmpdir(), "slack-uploads-"));
  onTestFinished(() => rmSync(filesDir, { recursive: true }));
  const kept = path.join(filesDir, "sent", "table.csv");
  mkdirSync(path.dirname(kept));
  writeFileSync(kept, content);
  const file: SentFile = {
    ...{ path: "sent/table.csv", name: "table.csv", contentType: "text/csv" },
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  };
  const failures: unknown[] = [];
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ level: "debug", redactor: new Redactor(), write });
  /** Ids of files that were begun, by whichever process. */
  const begun: string[] = [];
  /** @param dies - The process, before or after a call of a method. */
  const open = (dies?: string) => {
    const call: SlackCaller = async (method, args) => {
      if (dies === `before ${method}`) uploads[Symbol.dispose]();
      else {
        const result = await rig.call(method, args);
        if (dies !== `after ${method}`) return result;
        uploads[Symbol.dispose]();
      }
      return { kind: "unknown", cause: undefined };
    };
    const { queue } = createQueue({ call, clock });
    const router = { openFile: async (_: string, sent: SentFile) => openKeptFile(filesDir, sent) };
    const journal = { fail: ({ error }: { error: unknown }) => void failures.push(error) };
    const uploads = new SlackUploads(
      { queue, clock, context: { router, journal, log } },
      slack.apiUrl,
    );
    const place = {
      ...{ conversation: "slack/shop/c", channel, thread },
      onBegun: (id: string) => void begun.push(id),
    };
    const send = (from?: string) => uploads.sendFile(file, { ...place, begun: from });
    return { uploads, place, send };
  };
  /** Time passes until it is known. */
  const wait = async (outcome: Promise<UploadOutcome>) => {
    const moving = setInterval(() => clock.advance(500), 2);
    try {
      return await outcome;
    } finally {
      clearInterval(moving);
    }
  };
  const shown = () =>
    slack
      .messages(channel)
      .filter(
        ({ threadTs, files, isFromApp }) => isFromApp && threadTs === thread && files.length > 0,
      )
      .map(({ files }) => files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]));
  const calls = (method: string) => slack.calls.filter((call) => call.method === method).length;
  return { ...rig, thread, file, kept, failures, lines, begun, open, wait, shown, calls };
}

const once = [[["table.csv", content.toString()]]];

test("a file of the agent is to be seen in its thread when it is said to be", async () => {
  const rig = await startRig({ fileShareMs: 3_000 });
  const outcome = rig.wait(rig.open().send());
  await rig.wait(outcome);
  expect(await outcome).toEqual({ kind: "shared" });
  expect(rig.shown()).toEqual(once);
  expect(rig.begun).toHaveLength(1);
});

test("a long text is a snippet of its kind", async () => {
  const rig = await startRig();
  const { uploads, place } = rig.open();
  for (const name of ["answer.md", "changes.diff", "notes.txt"]) {
    expect(await rig.wait(uploads.sendText("# Ä\n", name, place))).toEqual({ kind: "shared" });
  }
  const files = rig.slack.messages(channel).flatMap((message) => message.files);
  expect(files.map(({ name, snippetType }) => [name, snippetType])).toEqual([
    ["answer.md", "markdown"],
    ["changes.diff", "diff"],
    ["notes.txt", "text"],
  ]);
  expect(Buffer.from(files[0]?.bytes ?? []).toString()).toBe("# Ä\n");
});

describe("a file is to be seen once, and not twice,", () => {
  test.each([
    ["the answer to its completion is lost", COMPLETE, { kind: "lose-answer" }],
    [
      "its completion is carried out, and said not to be",
      COMPLETE,
      { kind: "false-error", error: "internal_error" },
    ],
    ["its completion is not carried out, and nobody says", COMPLETE, { kind: "break" }],
    ["its completion is limited", COMPLETE, { kind: "rate-limit", retryAfterS: 20 }],
    ["its place is not named", "files.getUploadURLExternal", { kind: "break" }],
    ["its bytes do not arrive", "upload", { kind: "break" }],
    ["its bytes are refused for a moment", "upload", { kind: "answer", status: 503, body: "" }],
    ["nobody says what became of it", "files.info", { kind: "break" }],
  ] as const)("when %s", async (_what, method, fault) => {
    const rig = await startRig({ fileShareMs: 1_500 });
    rig.slack.fail(method, fault);
    expect(await rig.wait(rig.open().send())).toEqual({ kind: "shared" });
    expect(rig.shown()).toEqual(once);
  });

  test("when Slack takes it and never shows it: it is sent once more, and the first one deleted", async () => {
    const rig = await startRig({ fileShareMs: 3_600_000 });
    expect(await rig.wait(rig.open().send())).toMatchObject({
      kind: "failed",
      text: expect.stringMatching(
        /^table\.csv could not be shown here: Slack took it and does not show it \(ref \w+\)\.$/,
      ),
    });
    expect(rig.begun).toHaveLength(2);
    expect(rig.calls("files.delete")).toBe(2);
    expect(rig.failures).toHaveLength(1);
  });

  test.each([
    ["after files.getUploadURLExternal", 0],
    [`before ${COMPLETE}`, 1],
    [`after ${COMPLETE}`, 1],
    ["before files.info", 1],
  ])("when its process dies %s", async (dies, begun) => {
    const rig = await startRig({ fileShareMs: 2_000 });
    expect(await rig.wait(rig.open(dies).send())).toEqual({ kind: "closed" });
    expect(rig.begun).toHaveLength(begun);
    expect(await rig.wait(rig.open().send(rig.begun[0]))).toEqual({ kind: "shared" });
    expect(rig.shown()).toEqual(once);
  });

  test("when it was shown before the process died", async () => {
    const rig = await startRig();
    await rig.wait(rig.open().send());
    const before = rig.calls(COMPLETE);
    expect(await rig.wait(rig.open().send(rig.begun[0]))).toEqual({ kind: "shared" });
    expect(rig.calls(COMPLETE)).toBe(before);
    expect(rig.shown()).toEqual(once);
  });

  test("when its process dies and the file that was begun is gone from Slack", async () => {
    const rig = await startRig();
    expect(await rig.wait(rig.open().send("F0GONE"))).toEqual({ kind: "shared" });
    expect(rig.shown()).toEqual(once);
  });

  test("by an app that may not ask, when it was shown before the process died", async () => {
    const rig = await startRig({ app: { scopes: ["files:write", "chat:write"] } });
    expect(await rig.wait(rig.open().send())).toEqual({ kind: "shared" });
    expect(await rig.wait(rig.open().send(rig.begun[0]))).toEqual({ kind: "shared" });
    expect(rig.shown()).toEqual(once);
  });
});

describe("what could not be shown is said:", () => {
  const sayOf = async (rig: Rig, outcome: Promise<UploadOutcome>) => {
    const result = await rig.wait(outcome);
    if (result.kind !== "failed") throw new Error(`it is ${result.kind}`);
    return result.text.replace(/ \(ref \w+\)\.$/, "");
  };

  test.each([
    ["files.getUploadURLExternal", "missing_scope", "this app lacks the scope files:write"],
    [
      "files.getUploadURLExternal",
      "storage_limit_reached",
      "this workspace has no room left for files",
    ],
    [COMPLETE, "not_in_channel", "this app may not write here"],
    [COMPLETE, "<!here>", "Slack refused it (?)"],
  ])("%s refused with %s", async (method, error, why) => {
    const rig = await startRig();
    rig.slack.fail(method, { kind: "error", error });
    expect(await sayOf(rig, rig.open().send())).toBe(`table.csv could not be shown here: ${why}`);
    expect(rig.failures).toHaveLength(1);
    expect(rig.shown()).toEqual([]);
  });

  test("a file that is no longer kept, was changed, or is empty", async () => {
    const rig = await startRig();
    writeFileSync(rig.kept, "x,y\n1,2\n");
    expect(await sayOf(rig, rig.open().send())).toMatch(/it cannot be read any more/);
    rmSync(rig.kept);
    expect(await sayOf(rig, rig.open().send())).toMatch(/it is no longer kept/);
    const { uploads, place } = rig.open();
    expect(await sayOf(rig, uploads.sendText("", "a`*b.md", place))).toMatch(
      /^ab\.md could not be shown here: it is empty/,
    );
  });

  test("Slack that does not answer at all", async () => {
    const rig = await startRig();
    rig.slack.fail("files.getUploadURLExternal", { kind: "break" }, 100);
    expect(await sayOf(rig, rig.open().send())).toMatch(/Slack could not be reached/);
  });

  test("C23: a place for its bytes that is not Slack's, which gets none", async () => {
    const rig = await startRig();
    for (const url of ["https://files.example/upload", "http://169.254.169.254/upload"]) {
      const body = JSON.stringify({ ok: true, upload_url: url, file_id: "F1" });
      const headers = { "content-type": "application/json" };
      rig.slack.fail("files.getUploadURLExternal", { kind: "answer", status: 200, body, headers });
      expect(await sayOf(rig, rig.open().send())).toMatch(/a place for it that is not Slack's/);
    }
  });

  test("C27: without its URL, its place on disk or the token in the log", async () => {
    const rig = await startRig();
    rig.slack.fail("upload", { kind: "answer", status: 500, body: "" }, 100);
    expect(await sayOf(rig, rig.open().send())).toMatch(/Slack could not be reached/);
    expect(rig.lines.length).toBeGreaterThan(0);
    for (const line of rig.lines) {
      expect(line).not.toMatch(/\/upload\/|xoxb-|table\.csv/);
    }
  });
});
