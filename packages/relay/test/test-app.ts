import { fileURLToPath } from "node:url";
import type { MarkupRenderer, Router } from "@acp-kit/router";
import type { RelayApp } from "../src/app.ts";
import { formatConversationKey } from "../src/conversation-key.ts";
import type { RelaySurface, SurfaceBot, SurfaceContext } from "../src/surface.ts";

/**
 * An app with the smallest surface: a bot's path answers with the role of who asks or
 * with the agent's text, or streams until it is drained or for ever.
 */
export const testApp: RelayApp = {
  name: "poe-relay",
  version: "9.8.7",
  description: "A relay for tests.",
  surfaceName: "poe",
  demoAgent: [process.execPath, fileURLToPath(new URL("./fixtures/agent.mjs", import.meta.url))],
  keyEnv: "POE_ACCESS_KEY",
  createSurface,
};

function createSurface({ bots, access, log, router }: SurfaceContext): RelaySurface {
  const text = new TextEncoder();
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  return {
    fetch(request) {
      const { pathname } = new URL(request.url);
      const bot = bots.find(({ settings }) => settings.path === pathname);
      if (!bot) return new Response("no such bot\n", { status: 404 });
      const user = request.headers.get("x-user") ?? "";
      log.info({ key: bot.settings.accessKeys[0] }, "asked");
      const admission = access.admit({ bot: bot.name, user });
      if (admission.kind === "refused") return new Response(admission.text, { status: 403 });
      const prompt = request.headers.get("x-prompt");
      if (prompt !== null) return answer({ bot, user, prompt, router });
      if (!request.headers.has("x-stream")) return new Response(admission.role);
      return new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(text.encode("begin\n"));
            if (request.headers.get("x-stream") === "drains") open.add(controller);
          },
        }),
      );
    },
    async drain() {
      for (const controller of open) {
        controller.enqueue(text.encode("sealed\n"));
        controller.close();
      }
    },
  };
}

const plain: MarkupRenderer<string> = {
  render: ({ segments }) => ({
    parts: segments.map((segment) => (segment.kind === "text" ? segment.text : "")),
  }),
  say: (_, markdown) => markdown,
};

type Asked = { bot: SurfaceBot; user: string; prompt: string; router: Router };

/** The whole answer of one turn. */
async function answer({ bot, user, prompt, router }: Asked): Promise<Response> {
  const conversation = formatConversationKey({ surface: "poe", bot: bot.name, id: "c-1" });
  const query = [{ role: "user", content: prompt, messageId: "m-1", attachments: [] }];
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
