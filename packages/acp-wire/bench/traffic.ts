const text = "The quick brown fox jumps over the lazy dog and keeps on running. ".slice(0, 60);

function frame(update: object): string {
  const params = { sessionId: "sess-0123456789abcdef", update };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
}

/** A message chunk of about 210 bytes, as a model streams them. */
export const CHUNK = frame({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId: "msg-0123",
});

/** An update of a tool call of about 760 bytes. */
export const TOOL = frame({
  sessionUpdate: "tool_call_update",
  toolCallId: "call-0123456789",
  title: "Read src/index.ts",
  kind: "read",
  status: "completed",
  locations: [{ path: "/repo/project/src/index.ts", line: 12 }],
  content: [
    { type: "content", content: { type: "text", text: text.repeat(4) } },
    { type: "diff", path: "/repo/project/src/index.ts", oldText: text, newText: text },
  ],
  rawInput: { path: "/repo/project/src/index.ts" },
});

export const USAGE = frame({
  sessionUpdate: "usage_update",
  used: 12_345,
  size: 200_000,
  cost: { amount: 0.12, currency: "USD" },
});

/** Of twenty updates eighteen are chunks, one is about a tool call, one about usage. */
const MIX = Array.from({ length: 20 }, (_, at) => (at === 7 ? TOOL : at === 13 ? USAGE : CHUNK));

export const TRAFFIC = {
  mix: (count: number) => Array.from({ length: count }, (_, at) => MIX[at % 20] ?? CHUNK),
  tool: (count: number) => Array.from({ length: count }, () => TOOL),
};
export type TrafficKind = keyof typeof TRAFFIC;

/** The bytes of some messages, cut as a pipe cuts them. */
export function pipeChunks(messages: readonly string[], size = 64 * 1024): Uint8Array[] {
  const bytes = Buffer.from(messages.join(""));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}
