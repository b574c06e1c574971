import { FakeSlack } from "@acp-kit/testkit";
import { createEmulator } from "emulate";
import { expect, onTestFinished, test } from "vitest";
import {
  CallQueue,
  createSlackCaller,
  PostEditPublisher,
  type SlackCaller,
  systemClock,
} from "../../src/index.ts";

const TOKEN = "xoxb-agent";

type Place = { readonly call: SlackCaller; readonly channel: string };

const platforms: Readonly<Record<string, () => Promise<Place>>> = {
  fake: async () => {
    const slack = await FakeSlack.start();
    onTestFinished(() => slack[Symbol.asyncDispose]());
    const { app, apiUrl } = slack;
    return { call: createSlackCaller({ token: app.botToken, apiUrl }), channel: "C0SHOP" };
  },
  emulator: async () => {
    const emulator = await createEmulator({
      service: "slack",
      port: 0,
      seed: {
        slack: {
          users: [{ name: "agent", real_name: "Agent", email: "agent@acme.example" }],
          channels: [{ name: "shop" }],
          tokens: [
            {
              token: TOKEN,
              user: "agent",
              scopes: ["chat:write", "channels:read", "channels:history"],
            },
          ],
        },
      },
    });
    onTestFinished(() => emulator.close());
    const call = createSlackCaller({ token: TOKEN, apiUrl: `${emulator.url}/api/` });
    const listed = await call("conversations.list", {});
    const channels = (listed.kind === "ok" ? listed.body["channels"] : []) as readonly {
      id: string;
      name: string;
    }[];
    return { call, channel: channels.find(({ name }) => name === "shop")?.id ?? "" };
  },
};

const codeLines = Array.from({ length: 300 }, (_, at) => `  line(${at}, "${"x".repeat(14)}");`);
const rows = Array.from({ length: 150 }, (_, at) => `| row ${at} | ${at} |`);
const prose = (part: number) =>
  Array.from({ length: 70 }, (_, at) => `Sentence ${part}.${at} of the answer, which is long.`);

const answer = [
  "# Answer",
  prose(1).join(" "),
  `\`\`\`ts\n${codeLines.join("\n")}\n\`\`\``,
  prose(2).join("\n\n"),
  `| name | value |\n| --- | ---: |\n${rows.join("\n")}`,
  prose(3).join(" "),
].join("\n\n");

test.each(Object.entries(platforms))(
  "20,000 characters with a long fence and a table of 150 rows arrive complete and well-formed on the %s",
  async (_name, start) => {
    expect(answer.length).toBeGreaterThan(20_000);
    expect(codeLines.join("\n").length).toBeGreaterThan(9_000);
    const { call, channel } = await start();
    using queue = new CallQueue(call, systemClock);
    const root = await call("chat.postMessage", { channel, text: "go" });
    const thread = root.kind === "ok" ? String(root.body["ts"]) : "";
    using publisher = new PostEditPublisher({
      queue,
      clock: systemClock,
      channel,
      thread,
      marker: "turn-1",
      botId: "B0BOT",
    });
    publisher.write({ text: answer.slice(0, 5_000), tail: "writing…" });
    expect(await publisher.finish(answer)).toEqual({ kind: "published" });

    const read = await call("conversations.replies", { channel, ts: thread, limit: 100 });
    const messages = (read.kind === "ok" ? read.body["messages"] : []) as readonly {
      ts: string;
      blocks?: readonly { type: string; text: string }[];
    }[];
    const replies = messages.filter(({ ts }) => ts !== thread);
    expect(replies.every(({ blocks }) => blocks?.length === 1)).toBe(true);
    const bodies = replies.map(({ blocks }) => blocks?.[0]?.text ?? "");
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) {
      expect([...body].length).toBeLessThanOrEqual(12_000);
      expect((body.match(/^```/gm) ?? []).length % 2).toBe(0);
    }
    const joined = bodies.join("");
    expect(joined.match(/^ {2}line\(.*$/gm)).toEqual(codeLines);
    expect(joined.match(/^\| row .*$/gm)).toEqual(rows);
    const sentences = [1, 2, 3].flatMap((part) => prose(part));
    expect(joined.match(/Sentence \d\.\d+ of the answer, which is long\./g)).toEqual(sentences);
  },
);
