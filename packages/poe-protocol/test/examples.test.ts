import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSettings } from "../src/index.ts";

const KEY = "0123456789abcdef0123456789abcdef";

/** The example as a reader runs it: a program of its own, on a free port. */
async function startBot(name: string) {
  const file = fileURLToPath(new URL(`../examples/${name}.ts`, import.meta.url));
  const bot = spawn(process.execPath, ["--conditions=@acp-kit/source", file], {
    env: { PATH: process.env["PATH"], POE_ACCESS_KEY: KEY, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(bot, "exit");
  const [line] = await once(createInterface(bot.stdout), "line");
  const port = /\d{4,}/.exec(String(line))?.[0];
  return {
    url: `http://127.0.0.1:${port}/poe`,
    async stop() {
      bot.kill();
      await exited;
    },
  };
}

describe.each(["bot-on-hono", "bot-on-node"])("%s", (name) => {
  let bot: Awaited<ReturnType<typeof startBot>>;
  beforeAll(async () => {
    bot = await startBot(name);
  });
  afterAll(() => bot.stop());

  const post = (body: unknown, key = KEY) =>
    fetch(bot.url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it("answers a query with meta, text and done", async () => {
    const response = await post({ type: "query", query: [{ role: "user", content: "hi" }] });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const events: unknown[] = [];
    createParser({
      onEvent: ({ event, data }) => events.push([event, JSON.parse(data)]),
    }).feed(await response.text());
    expect(events).toEqual([
      ["meta", { content_type: "text/markdown", suggested_replies: false }],
      ["text", { text: "You said: hi" }],
      ["done", {}],
    ]);
  });

  it("answers settings and reports", async () => {
    const settings = await post({ type: "settings" });
    expect(settings.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await settings.json()).toEqual(createSettings());
    const report = await post({ type: "report_reaction", reaction: "heart" });
    expect([report.status, await report.json()]).toEqual([200, {}]);
  });

  it.each([
    ["a wrong key", "{", KEY.toUpperCase(), 401],
    ["a body that is not JSON", "{", KEY, 400],
    ["an unknown type", { type: "report_weather" }, KEY, 501],
  ])("%s gets its status", async (_, body, key, status) => {
    const response = await post(body, key);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("detail");
  });
});
