import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Answer,
  COMMAND,
  DONE,
  PLAIN,
  replyTo,
  sendEvents,
  sendJson,
  WAITING,
} from "./model-mock.ts";
import type { RealAgent } from "./real-agent.ts";

type Item = { type?: string; role?: string; content?: { text?: string }[] };

/** @see https://platform.openai.com/docs/api-reference/responses-streaming */
const answer: Answer = (path, body, response) => {
  if (!path.includes("/responses")) return sendJson(response, { models: [], data: [] });
  const input = (body["input"] ?? []) as Item[];
  const reply = replyTo(
    input.map(({ type, content }) => {
      if (type === "function_call_output") return { result: true };
      return { text: (content ?? []).map((part) => part.text ?? "").join("\n") };
    }),
  );
  const created = { data: { type: "response.created", response: { id: "resp_1" } } };
  if (reply === "tool") {
    const tools = (body["tools"] ?? []) as { name?: string }[];
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", ...callOf(tools) };
    return sendEvents(response, [
      created,
      { data: { type: "response.output_item.done", item } },
      done,
    ]);
  }
  const text = { done: DONE, wait: WAITING, plain: PLAIN }[reply];
  const added = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const begin = [
    created,
    { data: { type: "response.output_item.added", item: added } },
    { data: { type: "response.output_text.delta", item_id: "msg_1", delta: text } },
  ];
  if (reply === "wait") return sendEvents(response, begin, false);
  const item = { ...added, content: [{ type: "output_text", text }] };
  sendEvents(response, [...begin, { data: { type: "response.output_item.done", item } }, done]);
};

const usage = {
  input_tokens: 10,
  input_tokens_details: null,
  output_tokens: 10,
  output_tokens_details: null,
  total_tokens: 20,
};
const done = { data: { type: "response.completed", response: { id: "resp_1", usage } } };

/** The shell has had several names. */
function callOf(tools: readonly { name?: string }[]): { name: string; arguments: string } {
  const names = new Set(tools.map(({ name }) => name));
  if (names.has("exec_command")) {
    return { name: "exec_command", arguments: JSON.stringify({ cmd: COMMAND }) };
  }
  if (names.has("shell_command")) {
    return { name: "shell_command", arguments: JSON.stringify({ command: COMMAND }) };
  }
  return { name: "shell", arguments: JSON.stringify({ command: ["bash", "-lc", COMMAND] }) };
}

export const codex: RealAgent = {
  name: "codex",
  package: "@zed-industries/codex-acp@0.16.0",
  bin: "codex-acp",
  args: [],
  authMethod: undefined,
  answer,
  async env(home, url) {
    await mkdir(join(home, ".codex"), { recursive: true });
    const config = `
model = "mock"
model_provider = "mock"
approval_policy = "untrusted"
sandbox_mode = "workspace-write"

[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
`;
    await writeFile(join(home, ".codex/config.toml"), config);
    return {};
  },
};
