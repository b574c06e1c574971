import { describe, expect, test } from "vitest";
import { outcomeOf, startSlack } from "./rig.ts";

const channel = "C0SHOP";
const bytes = Buffer.from("a,b\n1,2\n");

describe("an upload", () => {
  test("by Slack's own client arrives whole in its thread", async () => {
    const { slack, client } = await startSlack();
    const thread_ts = slack.person("U0ANA").say(channel, "send it");
    await client.filesUploadV2({
      channel_id: channel,
      thread_ts,
      initial_comment: "Here.",
      file: bytes,
      filename: "table.csv",
    });
    expect(slack.person("U0ANA").see(channel)).toBe("ana: send it\n  agent: Here.  📎 table.csv");
    const [file] = slack.messages(channel).at(-1)?.files ?? [];
    expect(Buffer.from(file?.bytes ?? [])).toEqual(bytes);
  });

  test("is complete before anybody sees it, and its answer does not say where it is", async () => {
    const { slack, client, clock } = await startSlack({ fileShareMs: 2_000 });
    const answer = await client.filesUploadV2({
      channel_id: channel,
      file: bytes,
      filename: "table.csv",
    });
    const [{ id = "" } = {}] = answer.files[0]?.files ?? [];
    expect(answer.files[0]?.files?.[0]).not.toHaveProperty("shares");
    const shares = async () => (await client.files.info({ file: id })).file?.shares;
    expect(await shares()).toEqual({});
    clock.advance(2_000);
    const [message] = slack.messages(channel);
    expect(await shares()).toEqual({ public: { [channel]: [{ ts: message?.ts }] } });
  });

  test("needs the bytes that were announced", async () => {
    const { client } = await startSlack();
    const started = await client.files.getUploadURLExternal({ filename: "a.txt", length: 5 });
    const send = (body: string) =>
      fetch(String(started.upload_url), { method: "POST", body }).then(({ status }) => status);
    const files = [{ id: String(started.file_id) }] as [{ id: string }];
    const complete = () =>
      outcomeOf(client.files.completeUploadExternal({ files, channel_id: channel }));
    expect(await complete()).toBe("file_not_found");
    expect(await send("four")).toBe(400);
    expect(await send("fives")).toBe(200);
    expect(await complete()).toBe("ok");
  });

  test("goes only where the app is", async () => {
    const { client } = await startSlack({
      channels: [{ id: "C1", name: "one", kind: "public", members: ["U0ANA"] }],
    });
    const upload = client.filesUploadV2({ channel_id: "C1", file: bytes, filename: "a.csv" });
    expect(await outcomeOf(upload)).toBe("not_in_channel");
  });
});

describe("a download", () => {
  async function shareFile(options: Parameters<typeof startSlack>[0] = {}) {
    const rig = await startSlack(options);
    rig.slack.person("U0ANA").say(channel, "", { files: [{ name: "table.csv", bytes }] });
    const { messages } = await rig.client.conversations.history({ channel });
    const url = String(messages?.[0]?.files?.[0]?.url_private_download);
    const download = async (token: string) => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    return { ...rig, download };
  }

  test("with the bot's token gives the bytes", async () => {
    const { slack, download } = await shareFile();
    expect(await download(slack.app.botToken)).toEqual([200, "text/csv", bytes.toString()]);
  });

  test("with another token gives status 200 and the page for signing in", async () => {
    const { download } = await shareFile();
    const [status, type, text] = await download("xoxb-wrong");
    expect([status, type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toMatch(/^<!DOCTYPE html>/);
  });

  test("without files:read gives the same page", async () => {
    const { slack, download } = await shareFile({ app: { scopes: ["channels:history"] } });
    expect((await download(slack.app.botToken))[1]).toContain("text/html");
  });
});

test("a message with a file is a file_share, and its text may be empty", async () => {
  const { slack, client } = await startSlack();
  slack.person("U0ANA").say(channel, "", { files: [{ name: "photo.heic", bytes }] });
  const { messages } = await client.conversations.history({ channel });
  expect(messages).toMatchObject([
    {
      subtype: "file_share",
      text: "",
      files: [{ name: "photo.heic", mimetype: "image/heic", size: bytes.length }],
    },
  ]);
});

test("a partner's file has to be asked for", async () => {
  const { slack, client } = await startSlack();
  slack.person("U0PARTNER").say("C0SHARED", "", { files: [{ name: "a.txt", bytes }] });
  const { messages } = await client.conversations.history({ channel: "C0SHARED" });
  const [file] = messages?.[0]?.files ?? [];
  expect(file).toEqual({ id: file?.id, file_access: "check_file_info" });
  const { file: asked } = await client.files.info({ file: String(file?.id) });
  expect(asked).toMatchObject({ name: "a.txt", size: bytes.length });
});
