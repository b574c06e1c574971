import type { EventBody, LogEvent, Segment, TurnView } from "@acp-kit/router";
import type { ExportItem } from "@acp-kit/router/sqlite";
import { expect, test } from "vitest";
import { formatTranscript } from "../src/cli/commands/transcript.ts";

const AT = Date.UTC(2026, 10, 30, 12, 0, 5);

const ask = {
  id: "p-1",
  requester: "u-ana",
  title: "Run",
  toolKind: "execute",
  subject: "rm -r build",
  subjectFrom: "input",
  subjectCut: false,
  options: [],
  expiresAt: AT,
} as const;
const yes = { id: "y", name: "Yes, once", kind: "allow_once" } as const;
const file = {
  path: "sent/plot.png",
  name: "plot.png",
  contentType: "image/png",
  bytes: 1,
  sha256: "",
};

const text = (items: Iterable<ExportItem>) => [...formatTranscript(items)].join("");
const events = (...bodies: EventBody[]): ExportItem[] =>
  bodies.map((body, index) => ({
    kind: "event",
    event: { ...body, seq: index + 1, at: AT, turn: "t-1" } satisfies LogEvent,
  }));

test("a turn reads as it was said: chunks of text and thoughts flow, everything else is a line", () => {
  const shown = text([
    { kind: "conversation", conversation: "poe/shop/c-1", first: 1, last: 15 },
    ...events(
      { kind: "turn-queued", who: "u-ana", text: "Clean up\nplease", key: "m-1", attempt: 1 },
      { kind: "turn-start", who: "u-ana" },
      { kind: "thought", text: "Let me " },
      { kind: "thought", text: "see." },
      { kind: "text", text: "I look" },
      { kind: "text", text: " around." },
      { kind: "usage", used: 1, size: 2 },
      {
        kind: "tool-start",
        id: "c",
        title: "ls",
        toolKind: "read",
        status: "pending",
        content: [],
      },
      { kind: "permission-ask", ask },
      { kind: "permission-answer", permission: "p-1", end: "selected", option: yes, by: "u-ana" },
      { kind: "text", text: "Done." },
      { kind: "file", ...file },
      { kind: "notice", level: "info", text: "Cut." },
      { kind: "turn-end", outcome: { kind: "completed", stopReason: "end_turn" } },
    ),
  ]);
  expect(shown).toBe(`poe/shop/c-1, events 1 to 15

2026-11-30T12:00:05Z  u-ana
> Clean up
> please

[thinks] Let me see.
I look around.
[read] ls
[asks] rm -r build
[answer] Yes, once, by u-ana
Done.
[file] plot.png
[notice] Cut.
[completed] 2026-11-30T12:00:05Z
`);
});

test.each<[string, EventBody, string]>([
  [
    "a regenerated turn says so",
    { kind: "turn-queued", who: "u", text: "x", key: "k", attempt: 2 },
    "\n2026-11-30T12:00:05Z  u (again, 2)\n> x\n\n",
  ],
  [
    "a question that nobody answered",
    { kind: "permission-answer", permission: "p", end: "expired" },
    "[answer] expired\n",
  ],
  [
    "a cancelled turn says why",
    { kind: "turn-end", outcome: { kind: "cancelled", cause: "user" } },
    "[cancelled, user] 2026-11-30T12:00:05Z\n",
  ],
  ["a new session", { kind: "session-reset", who: "u-ana" }, "[new session] u-ana\n"],
  ["what is not for reading", { kind: "unknown-update", update: { x: 1 } }, ""],
])("%s", (_, body, expected) => {
  expect(text(events(body))).toBe(expected);
});

test("of a turn without events its final view is shown, whatever kinds of segments it has", () => {
  const tool = {
    id: "c",
    title: "ls",
    toolKind: "read",
    status: "completed",
    content: [],
    startedAt: AT,
  };
  const segments: Segment[] = [
    { kind: "thought", text: "Hm." },
    { kind: "text", text: "I look." },
    { kind: "tool-start", tool },
    { kind: "tool-end", tool },
    { kind: "question", ask },
    { kind: "answer", permission: "p-1", end: "cancelled" },
    { kind: "file", ...file },
    { kind: "notice", level: "warning", text: "Cut." },
  ];
  const view: TurnView = {
    turn: "t-1",
    seq: 9,
    who: "u-ana",
    startedAt: AT,
    lastProgressAt: AT,
    phase: "writing",
    segments,
    tools: [tool],
    plan: [],
    status: {},
    asks: [],
    outcome: { kind: "interrupted" },
  };
  expect(text([{ kind: "view", view }])).toBe(`
2026-11-30T12:00:05Z  u-ana

[thinks] Hm.
I look.
[read] ls
[asks] rm -r build
[answer] cancelled
[file] plot.png
[notice] Cut.
[interrupted]
`);
});

test("checkpoints are left out, and a text that is last ends its line", () => {
  const items = events({ kind: "text", text: "half" });
  expect(text([...items, { kind: "checkpoint", consumer: "poe", seq: 1 }])).toBe("half\n");
});
