import fc from "fast-check";
import type { EventBody, LogEvent } from "../src/index.ts";

const ask = (id: string): EventBody => ({
  kind: "permission-ask",
  ask: {
    id,
    requester: "ana",
    title: "Run",
    toolKind: "execute",
    subject: "ls",
    subjectFrom: "input",
    subjectCut: false,
    options: [{ id: "y", name: "Allow", kind: "allow_once" }],
    expiresAt: 9_999,
  },
});

const id = fc.constantFrom("a", "b", "c");
const status = fc.constantFrom("pending", "in_progress", "completed", "failed");
const words = fc.string({ minLength: 1, maxLength: 12 });

/** Any event of a running turn. */
export const anyBody: fc.Arbitrary<EventBody> = fc.oneof(
  { weight: 6, arbitrary: words.map((text): EventBody => ({ kind: "text", text })) },
  { weight: 3, arbitrary: words.map((text): EventBody => ({ kind: "thought", text })) },
  fc
    .record({ id, title: words, status })
    .map((tool): EventBody => ({ kind: "tool-start", toolKind: "read", content: [], ...tool })),
  fc.record({ id, status }).map((tool): EventBody => ({ kind: "tool-update", ...tool })),
  words.map(
    (content): EventBody => ({ kind: "plan", entries: [{ content, status: "in_progress" }] }),
  ),
  words.map((mood): EventBody => ({ kind: "status", mood })),
  id.map(ask),
  id.map((permission): EventBody => ({ kind: "permission-answer", permission, end: "cancelled" })),
  words.map((text): EventBody => ({ kind: "notice", level: "info", text })),
  fc.constant<EventBody>({ kind: "content", type: "image" }),
  fc.constant<EventBody>({
    kind: "file",
    path: "d/n",
    name: "n",
    contentType: "",
    bytes: 1,
    sha256: "",
  }),
  fc.constant<EventBody>({ kind: "usage", used: 1, size: 2 }),
  fc.constant<EventBody>({ kind: "unknown-update", update: {} }),
);

/** A turn's log, numbered from 1. */
export const anyTurn: fc.Arbitrary<LogEvent[]> = fc
  .array(anyBody, { maxLength: 40 })
  .map((bodies) =>
    bodies.map((body, index) => ({ ...body, seq: index + 1, at: index, turn: "t" })),
  );
