import { createLog, Redactor } from "@acp-kit/relay";
import { FakeSlack } from "@acp-kit/testkit";
import { createEmulator } from "emulate";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { describeFile } from "../../src/files/describe-file.ts";
import {
  attachmentsOf,
  CallQueue,
  createSlackCaller,
  createSlackDownloads,
  SlackUploads,
  systemClock,
} from "../../src/index.ts";
import { fileSchema } from "../../src/intake/event-schema.ts";

const TOKEN = "xoxb-agent";
const scopes = ["channels:history", "channels:read", "chat:write", "files:read", "files:write"];

/** Where a Web API is, and the name of a channel there. */
const platforms: Readonly<Record<string, () => Promise<{ apiUrl: string; token: string }>>> = {
  fake: async () => {
    const slack = await FakeSlack.start();
    onTestFinished(() => slack[Symbol.asyncDispose]());
    return { apiUrl: slack.apiUrl, token: slack.app.botToken };
  },
  emulator: async () => {
    const emulator = await createEmulator({
      service: "slack",
      port: 0,
      seed: {
        slack: {
          users: [{ name: "agent", real_name: "Agent", email: "agent@acme.example" }],
          channels: [{ name: "shop" }],
          tokens: [{ token: TOKEN, user: "agent", scopes }],
          strict_scopes: true,
        },
      },
    });
    onTestFinished(() => emulator.close());
    return { apiUrl: `${emulator.url}/api/`, token: TOKEN };
  },
};

const listSchema = z.object({ channels: z.array(z.object({ id: z.string(), name: z.string() })) });
const threadSchema = z.object({
  messages: z.array(z.object({ files: z.array(fileSchema).default([]) })),
});

test.each(Object.entries(platforms))(
  "what is sent to a thread is shared there, and fetched again byte for byte: %s",
  async (_name, start) => {
    const { apiUrl, token } = await start();
    const call = createSlackCaller({ token, apiUrl });
    using queue = new CallQueue(call, systemClock);
    const bodyOf = async (method: string, args: object) => {
      const result = await call(method, { ...args });
      if (result.kind !== "ok") throw new Error(`${method}: ${JSON.stringify(result)}`);
      return result.body;
    };
    const { channels } = listSchema.parse(await bodyOf("conversations.list", {}));
    const channel = channels.find(({ name }) => name === "shop")?.id ?? "";
    const thread = String((await bodyOf("chat.postMessage", { channel, text: "go" }))["ts"]);

    const failures: unknown[] = [];
    const log = createLog({ level: "silent", redactor: new Redactor(), write: () => undefined });
    using uploads = new SlackUploads(
      {
        ...{ queue, clock: systemClock },
        context: {
          router: { openFile: async () => undefined },
          journal: { fail: ({ error }) => void failures.push(error) },
          log,
        },
      },
      apiUrl,
    );
    const begun: string[] = [];
    const place = {
      channel,
      thread,
      conversation: "c",
      onBegun: (id: string) => void begun.push(id),
    };
    const content = `# Größe\n${"x".repeat(70_000)}\n`;
    expect(await uploads.sendText(content, "answer.md", place)).toEqual({ kind: "shared" });
    expect(failures).toEqual([]);
    // Whoever comes next finds it, and sends nothing.
    const [id] = begun;
    const again = { ...place, begun: id };
    expect(await uploads.sendText(content, "answer.md", again)).toEqual({ kind: "shared" });
    expect(begun).toHaveLength(1);

    const replies = await bodyOf("conversations.replies", { channel, ts: thread });
    const files = threadSchema.parse(replies).messages.flatMap((message) => message.files);
    const attachments = attachmentsOf(files.map(describeFile));
    expect(attachments).toMatchObject([{ name: "answer.md" }]);
    await using downloads = createSlackDownloads({ token, apiUrl });
    const url = attachments[0]?.url ?? "";
    await using download = await downloads.fetch({ url, maxBytes: 100_000 });
    const chunks: Uint8Array[] = [];
    for await (const chunk of download.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(content);
  },
);
