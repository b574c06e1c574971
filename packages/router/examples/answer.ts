import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, DEFAULT_OPTIONS, MemoryStore, reduceTurnView } from "@acp-kit/router";

const command = process.argv.slice(2); // an ACP agent, such as: gemini --acp
const stateDir = mkdtempSync(path.join(tmpdir(), "router-"));
await using agent = new AgentSupervisor({
  command,
  hostEnv: process.env,
  clientInfo: { name: "example", version: "1" },
});
await using router = createRouter({ agent, store: new MemoryStore(), stateDir });

const { turn, after } = await router.submit("a conversation", {
  kind: "prompt",
  key: "message-1",
  user: "ana",
  query: [{ role: "user", content: "Hello!", messageId: "message-1", attachments: [] }],
  options: DEFAULT_OPTIONS,
  repeat: "attach",
  at: Date.now(),
});
let view: ReturnType<typeof reduceTurnView> | undefined;
for await (const events of router.log("a conversation").follow({ after, turn })) {
  for (const event of events) view = reduceTurnView(view, event);
}
for (const one of view?.segments ?? []) if (one.kind === "text") console.log(one.text);
