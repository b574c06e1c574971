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

type Block = { type: string; text?: string };

/** @see https://docs.anthropic.com/en/api/messages-streaming */
const answer: Answer = (path, body, response) => {
  if (path.includes("count_tokens")) return sendJson(response, { input_tokens: 1 });
  const messages = (body["messages"] ?? []) as { role: string; content: string | Block[] }[];
  const blocks = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text", text: content }] : content,
    );
  const tools = (body["tools"] ?? []) as { name: string }[];
  const shell = tools.find(({ name }) => name === "Bash" || name.endsWith("__Bash"));
  const said = replyTo(
    blocks.map(({ type, text }) =>
      type === "tool_result" ? { result: true } : { text: text ?? "" },
    ),
  );
  // Small requests beside the turn (titles, warm-up) carry no tools.
  const reply = said === "tool" && shell === undefined ? "plain" : said;
  const text = { tool: "", done: DONE, wait: WAITING, plain: PLAIN }[reply];
  if (body["stream"] !== true) {
    return sendJson(response, {
      ...message,
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
    });
  }
  const start = { event: "message_start", data: { type: "message_start", message } };
  if (reply === "tool") {
    const input = JSON.stringify({ command: COMMAND, description: "Makes a file" });
    const block = { type: "tool_use", id: "toolu_1", name: shell?.name, input: {} };
    return sendEvents(response, [
      start,
      ...blockEvents(block, { type: "input_json_delta", partial_json: input }),
      ...endEvents("tool_use"),
    ]);
  }
  const [begin, delta, end] = blockEvents({ type: "text", text: "" }, { type: "text_delta", text });
  if (begin === undefined || delta === undefined || end === undefined) return;
  if (reply === "wait") return sendEvents(response, [start, begin, delta], false);
  sendEvents(response, [start, begin, delta, end, ...endEvents("end_turn")]);
};

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-mock",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
};

function blockEvents(block: object, delta: object) {
  return [
    ["content_block_start", { index: 0, content_block: block }],
    ["content_block_delta", { index: 0, delta }],
    ["content_block_stop", { index: 0 }],
  ].map(([event, data]) => ({
    event: event as string,
    data: { type: event, ...(data as object) },
  }));
}

function endEvents(reason: string) {
  const delta = { stop_reason: reason, stop_sequence: null };
  const usage = { output_tokens: 10 };
  return [
    { event: "message_delta", data: { type: "message_delta", delta, usage } },
    { event: "message_stop", data: { type: "message_stop" } },
  ];
}

export const claude: RealAgent = {
  name: "claude",
  package: "@zed-industries/claude-code-acp@0.16.2",
  bin: "claude-code-acp",
  args: [],
  authMethod: undefined,
  answer,
  async env(_home, url) {
    return {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
  },
};
