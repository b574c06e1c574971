import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MarkupRenderer, Router } from "@acp-kit/router";
import type { RelayApp } from "../src/app.ts";
import { pathOf } from "../src/bots/bot.ts";
import { formatConversationKey } from "../src/conversation-key.ts";
import type { RelaySurface, SurfaceBot, SurfaceContext } from "../src/surface.ts";

/**
 * An app with the smallest surface: a bot's path answers with the role of who asks or with the agent's text, or streams
 * ("x-stream") until it is sealed ("drains"), for ever ("stuck"), or until a file is there, whose path is given.
 */
export const testApp: RelayApp = {
  name: "poe-relay",
  version: "9.8.7",
  description: "A relay for tests.",
  surfaceName: "poe",
  demoAgent: [process.execPath, fileURLToPath(new URL("./fixtures/agent.mjs", import.meta.url))],
  createSurface,
};

function createSurface({ bots, people, log, router }: SurfaceContext): RelaySurface {
  const text = new TextEncoder();
  const open = new Set<(word: string) => void>();
  const isEmpty = Promise.withResolvers<void>();
  let isDraining = false;
  return {
    fetch(request) {
      const { pathname } = new URL(request.url);
      const bot = bots.find(({ settings }) => pathOf(settings) === pathname);
      if (!bot) return new Response("no such bot\n", { status: 404 });
      const user = request.headers.get("x-user") ?? "";
      log.info({ key: "accessKeys" in bot.settings && bot.settings.accessKeys[0] }, "asked");
      const admission = people.admit({ surface: "poe", bot: bot.name, user });
      if (admission.kind === "refused") return new Response(admission.text, { status: 403 });
      const prompt = request.headers.get("x-prompt");
      if (prompt !== null) return answer({ bot, user, prompt, router, id: `m-${prompt}` });
      if (isDraining) return new Response("draining\n", { status: 503 });
      const how = request.headers.get("x-stream");
      const headers = { "x-pid": String(process.pid) };
      if (how === null) return new Response(admission.role, { headers });
      return new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(text.encode("begin\n"));
            if (how === "stuck") return;
            const end = (word: string) => {
              if (!open.delete(end)) return;
              clearInterval(looking);
              controller.enqueue(text.encode(`${word}\n`));
              controller.close();
              if (open.size === 0) isEmpty.resolve();
            };
            const looking = setInterval(
              () => how.startsWith("/") && existsSync(how) && end("end"),
              10,
            );
            open.add(end);
          },
        }),
        { headers },
      );
    },
    async drain(seal) {
      isDraining = true;
      const sealAll = () => {
        for (const end of open) end("sealed");
      };
      if (seal.aborted) sealAll();
      seal.addEventListener("abort", sealAll);
      if (open.size > 0) await isEmpty.promise;
    },
  };
}

const plain: MarkupRenderer<string> = {
  render: ({ segments }) => ({
    parts: Array.from(segments, (segment) => (segment.kind === "text" ? segment.text : "")),
  }),
  say: (_, markdown) => markdown,
};

type Asked = { bot: SurfaceBot; user: string; prompt: string; router: Router; id: string };

/** The whole answer of one turn. */
async function answer({ bot, user, prompt, router, id }: Asked): Promise<Response> {
  const conversation = formatConversationKey({ surface: "poe", bot: bot.name, id: "c-1" });
  const query = [{ role: "user", content: prompt, messageId: id, attachments: [] }];
  const shown: string[] = [];
  await router.prompt(
    { conversation, user, query, options: bot.defaults, renderer: plain },
    {
      text: (text) => void shown.push(text),
      replace: (text) => void shown.splice(0, shown.length, text),
      error: (text) => void shown.push(text),
      done() {},
      firstChunk() {},
      setProviderEmoji() {},
      setStatus() {},
    },
  );
  return new Response(shown.join(""));
}
