import fc from "fast-check";
import type { EventBody, LogEvent, TurnOutcome } from "../src/events.ts";
import { numbered, start } from "./turn-events.ts";

/** Turns from their start to their end, of which each text is one of `markdown`. */
export function anyTurnOf(markdown: fc.Arbitrary<string>): fc.Arbitrary<LogEvent[]> {
  const id = fc.constantFrom("a", "b");
  const content = fc.array(
    fc.oneof(
      markdown.map((text) => ({ kind: "text" as const, text })),
      fc.record({
        kind: fc.constant("diff" as const),
        path: markdown,
        oldText: fc.option(markdown),
        newText: markdown,
      }),
      fc.constant({ kind: "terminal" as const, terminal: "t1" }),
    ),
    { maxLength: 2 },
  );
  const status = fc.constantFrom("pending", "in_progress", "completed", "failed");
  const option = fc.record({
    id,
    name: markdown,
    kind: fc.constantFrom("allow_once", "allow_always", "reject_once", "other"),
  });

  const body: fc.Arbitrary<EventBody> = fc.oneof(
    { weight: 12, arbitrary: markdown.map((text): EventBody => ({ kind: "text", text })) },
    { weight: 4, arbitrary: markdown.map((text): EventBody => ({ kind: "thought", text })) },
    {
      weight: 2,
      arbitrary: fc
        .record({ id, title: markdown, toolKind: markdown, status, content })
        .map((tool): EventBody => ({ kind: "tool-start", ...tool })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ id, status, content }, { requiredKeys: ["id"] })
        .map((tool): EventBody => ({ kind: "tool-update", ...tool })),
    },
    markdown.map(
      (text): EventBody => ({ kind: "plan", entries: [{ content: text, status: "x" }] }),
    ),
    markdown.map((name): EventBody => ({ kind: "content", type: "image", name })),
    markdown.map((mood): EventBody => ({ kind: "status", mood, plan: "" })),
    fc
      .record({ used: fc.nat(), size: fc.nat() })
      .map((use): EventBody => ({ kind: "usage", ...use })),
    fc
      .record({
        id,
        title: markdown,
        subject: markdown,
        options: fc.array(option, { maxLength: 3 }),
      })
      .map(
        (ask): EventBody => ({
          kind: "permission-ask",
          ask: {
            requester: "ana",
            toolKind: "execute",
            subjectFrom: "input",
            subjectCut: false,
            expiresAt: 0,
            ...ask,
          },
        }),
      ),
    fc
      .record(
        {
          permission: id,
          end: fc.constantFrom("selected", "cancelled", "expired"),
          option,
          by: fc.constantFrom("ana", "bob"),
        },
        { requiredKeys: ["permission", "end"] },
      )
      .map((answer): EventBody => ({ kind: "permission-answer", ...answer })),
    markdown.map((text): EventBody => ({ kind: "notice", level: "warning", text })),
    fc.constant<EventBody>({
      kind: "file",
      path: "d/n",
      name: "n",
      contentType: "text/plain",
      bytes: 1,
      sha256: "",
    }),
    fc.constant<EventBody>({ kind: "unknown-update", update: {} }),
  );

  const outcome: fc.Arbitrary<TurnOutcome> = fc.oneof(
    fc
      .constantFrom("end_turn", "max_tokens", "refusal", "moon")
      .map((stopReason): TurnOutcome => ({ kind: "completed", stopReason })),
    fc.constant<TurnOutcome>({ kind: "cancelled", cause: "user" }),
    fc.constant<TurnOutcome>({ kind: "interrupted" }),
    fc.constant<TurnOutcome>({ kind: "agent-exited", phase: "prompt", code: 3, signal: null }),
    markdown.map(
      (message): TurnOutcome => ({
        kind: "failed",
        phase: "session",
        code: "agent-error",
        message,
      }),
    ),
  );

  return fc
    .tuple(fc.array(body, { maxLength: 30 }), outcome)
    .map(([bodies, outcome]) => numbered([start, ...bodies, { kind: "turn-end", outcome }]));
}

export const anyDisplay = fc.record({
  thoughts: fc.boolean(),
  plan: fc.boolean(),
  tools: fc.boolean(),
  toolDetails: fc.boolean(),
});
