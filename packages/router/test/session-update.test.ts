import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventBody } from "../src/index.ts";
import { MAX_EVENT_CHARS, parseSessionUpdate } from "../src/session-update.ts";

const EXTENSION = "dev.acp-kit.status-line/v1";
const parse = (update: Record<string, unknown>, meta?: Record<string, unknown>): EventBody[] =>
  parseSessionUpdate({
    sessionId: "s",
    update: { sessionUpdate: "", ...update },
    ...(meta && { _meta: meta }),
  });

test.each<[string, Record<string, unknown>, EventBody[]]>([
  [
    "a message chunk",
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } },
    [{ kind: "text", text: "hi" }],
  ],
  [
    "an empty chunk",
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" } },
    [],
  ],
  [
    "a thought",
    { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
    [{ kind: "thought", text: "hm" }],
  ],
  [
    "an echo of the person's message",
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hi" } },
    [],
  ],
  [
    "a tool call",
    {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Edit a.ts",
      kind: "edit",
      status: "pending",
      content: [
        { type: "diff", path: "a.ts", newText: "x" },
        { type: "content", content: { type: "text", text: "note" } },
        { type: "terminal", terminalId: "term" },
        { type: "hologram" },
      ],
    },
    [
      {
        kind: "tool-start",
        id: "1",
        title: "Edit a.ts",
        toolKind: "edit",
        status: "pending",
        content: [
          { kind: "diff", path: "a.ts", oldText: null, newText: "x" },
          { kind: "text", text: "note" },
          { kind: "terminal", terminal: "term" },
        ],
      },
    ],
  ],
  [
    "a tool update names only what changed",
    { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" },
    [{ kind: "tool-update", id: "1", status: "completed" }],
  ],
  [
    "a plan",
    {
      sessionUpdate: "plan",
      entries: [{ content: "a", status: "completed", priority: "high" }, { content: 5 }],
    },
    [{ kind: "plan", entries: [{ content: "a", status: "completed", priority: "high" }] }],
  ],
  [
    "usage with a cost",
    { sessionUpdate: "usage_update", used: 5, size: 10, cost: { amount: 1, currency: "USD" } },
    [{ kind: "usage", used: 5, size: 10, cost: { amount: 1, currency: "USD" } }],
  ],
  [
    "commands",
    { sessionUpdate: "available_commands_update", availableCommands: [{ name: "init" }, {}] },
    [{ kind: "commands", commands: [{ name: "init", description: "" }] }],
  ],
  [
    "a mode",
    { sessionUpdate: "current_mode_update", currentModeId: "plan" },
    [{ kind: "config", mode: "plan" }],
  ],
  [
    "a title",
    { sessionUpdate: "session_info_update", title: "T" },
    [{ kind: "title", title: "T" }],
  ],
  [
    "a kind that we do not know",
    { sessionUpdate: "hologram", x: 1 },
    [{ kind: "unknown-update", update: { sessionUpdate: "hologram", x: 1 } }],
  ],
])("%s becomes its events", (_, update, events) => {
  expect(parse(update)).toEqual(events);
});

test.each<[string, object, object[]]>([
  [
    "an image",
    { type: "image", data: "AAAA", mimeType: "image/png", uri: "file:///a.png" },
    [{ kind: "content", type: "image", contentType: "image/png", uri: "file:///a.png" }],
  ],
  [
    "a sound",
    { type: "audio", data: "A".repeat(500_000), mimeType: "audio/wav" },
    [{ kind: "content", type: "audio", contentType: "audio/wav" }],
  ],
  [
    "a link",
    { type: "resource_link", uri: "https://example.com/a", name: "a", title: "The a" },
    [{ kind: "content", type: "resource_link", name: "The a", uri: "https://example.com/a" }],
  ],
  [
    "a resource with its text",
    { type: "resource", resource: { uri: "file:///a.md", mimeType: "text/markdown", text: "x" } },
    [{ kind: "content", type: "resource", uri: "file:///a.md", contentType: "text/markdown" }],
  ],
  ["a kind that we do not know", { type: "hologram" }, [{ kind: "content", type: "hologram" }]],
])(
  "images, sounds and resources of an agent are told as what they are: %s",
  (_, content, events) => {
    expect(parse({ sessionUpdate: "agent_message_chunk", content })).toEqual(events);
  },
);

test("the status line rides on any kind, the outer _meta first", () => {
  const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } };
  const inner = { _meta: { [EXTENSION]: { mood: "inner", plan: "1/2" } } };
  const outer = { [EXTENSION]: { mood: "outer" } };
  expect(parse({ ...chunk, ...inner })[0]).toEqual({ kind: "status", mood: "inner", plan: "1/2" });
  expect(parse({ ...chunk, ...inner }, outer)[0]).toEqual({
    kind: "status",
    mood: "outer",
    plan: "",
  });
});

/** JSON text, so that what no literal can say is said as an agent would. */
function nested(depth: number): unknown {
  return JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
}

test.each([
  ["an update of an unknown kind", { sessionUpdate: "hologram", x: nested(100_000) }],
  ["options", { sessionUpdate: "config_option_update", configOptions: nested(100_000) }],
  ["a usage", { sessionUpdate: "usage_update", used: nested(100_000) }],
  [
    "a tool call",
    { sessionUpdate: "tool_call", rawInput: nested(100_000), content: nested(9_000) },
  ],
  ["a chunk", { sessionUpdate: "agent_message_chunk", content: nested(100_000) }],
])(
  "%s that is nested deeper than recursion goes becomes an event that can be written",
  (_, update) => {
    const events = parse(update);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events).length).toBeLessThan(1_000);
  },
);

test("halves of surrogate pairs are dropped, wherever they stand", () => {
  const half = "a\ud83db\ude00c";
  const events = [
    ...parse({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: half } }),
    ...parse({
      sessionUpdate: "tool_call",
      toolCallId: half,
      title: half,
      kind: half,
      content: [{ type: "diff", path: half, oldText: half, newText: half }],
    }),
    ...parse({ sessionUpdate: "config_option_update", configOptions: [{ [half]: half }] }),
    ...parse({ sessionUpdate: "hologram", list: [half, "😀"] }),
  ];
  const json = JSON.stringify(events);
  expect(json).not.toMatch(/\\ud/);
  expect(json.match(/abc/g)).toHaveLength(10);
  expect(json).toContain("😀");
});

test("numbers that JSON cannot say again are no usage", () => {
  const huge = JSON.parse("1e999");
  expect(parse({ sessionUpdate: "usage_update", used: huge, size: 1 })[0]?.kind).toBe(
    "unknown-update",
  );
  const cost = { amount: huge, currency: "USD" };
  expect(parse({ sessionUpdate: "usage_update", used: 1, size: 2, cost })).toEqual([
    { kind: "usage", used: 1, size: 2 },
  ]);
});

test("ids, kinds, statuses and titles are bounded", () => {
  const long = "x".repeat(100_000);
  const call = { toolCallId: long, title: long, kind: long, status: long };
  const events = [
    ...parse({
      sessionUpdate: "tool_call",
      ...call,
      content: [{ type: "terminal", terminalId: long }],
    }),
    ...parse({ sessionUpdate: "tool_call_update", ...call }),
    ...parse({ sessionUpdate: "current_mode_update", currentModeId: long }),
    ...parse({ sessionUpdate: "session_info_update", title: long }),
    ...parse({ sessionUpdate: "plan", entries: [{ content: long, status: long, priority: long }] }),
    ...parse({ sessionUpdate: long, x: long }),
  ];
  expect(events.map(({ kind }) => kind)).toEqual([
    "tool-start",
    "tool-update",
    "config",
    "title",
    "plan",
    "unknown-update",
  ]);
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(4_000);
});

test("a text over the size of an event becomes several, and no code point is parted", () => {
  const text = `${"a".repeat(MAX_EVENT_CHARS - 1)}😀${"b".repeat(MAX_EVENT_CHARS)}`;
  const events = parse({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  expect(events.length).toBe(3);
  expect(events.map((event) => (event.kind === "text" ? event.text : "")).join("")).toBe(text);
  for (const event of events) {
    expect(event.kind === "text" && event.text.length <= MAX_EVENT_CHARS).toBe(true);
    expect(event.kind === "text" && event.text.isWellFormed()).toBe(true);
  }
});

test("whatever an agent sends, parsing never throws and no event is over its size", () => {
  const kinds = fc.constantFrom(
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "usage_update",
    "available_commands_update",
    "session_info_update",
    "config_option_update",
    "other",
  );
  fc.assert(
    fc.property(kinds, fc.dictionary(fc.string(), fc.jsonValue()), (kind, fields) => {
      for (const event of parse({ ...fields, sessionUpdate: kind })) {
        expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(256 * 1024);
      }
    }),
  );
});

test.each(["tool_call", "tool_call_update"])(
  "a %s with huge content stays below the size of an event",
  (sessionUpdate) => {
    const big = "\u0000".repeat(300_000);
    const content = Array.from({ length: 5 }, () => ({ type: "diff", path: big, newText: big }));
    const [event] = parse({ sessionUpdate, toolCallId: "1", title: big, content });
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(256 * 1024);
  },
);

test("a text of control characters only, and a plan and commands without end, stay below the size of an event", () => {
  const text = "\u0000".repeat(MAX_EVENT_CHARS);
  const many = Array.from({ length: 20_000 }, (_, index) => ({ content: `${index}`, name: "n" }));
  const events = [
    ...parse({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    ...parse({ sessionUpdate: "plan", entries: many }),
    ...parse({ sessionUpdate: "available_commands_update", availableCommands: many }),
    ...parse({ sessionUpdate: "config_option_update", configOptions: many }),
  ];
  expect(events.map((event) => event.kind)).toEqual(["text", "plan", "commands", "unknown-update"]);
  for (const event of events) {
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(256 * 1024);
  }
});
