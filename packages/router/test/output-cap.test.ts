import { expect, test } from "vitest";
import type { EventBody } from "../src/index.ts";
import { isOutput, OUTPUT_LIMITS, OutputCap } from "../src/output-cap.ts";
import { AgentRig, outcomeOf, textOf } from "./agent-rig.ts";

const text = (words: string): EventBody => ({ kind: "text", text: words });

const limits = { turnBytes: 4_000, besideTextBytes: 3_000, toolBytes: 1_000 };
const thought = (words: string): EventBody => ({ kind: "thought", text: words });

/** An update of a tool call, with its content as it is now. */
function update(id: string, words: string, status?: string): EventBody {
  const content = [{ kind: "text" as const, text: words }];
  return { kind: "tool-update", id, ...(status !== undefined && { status }), content };
}

function shownBy(event: EventBody | undefined): string | undefined {
  if (event?.kind !== "tool-start" && event?.kind !== "tool-update") return undefined;
  return event.content?.map((part) => (part.kind === "text" ? part.text : part.kind)).join("|");
}

test("a turn is cut once it is too long, with one note, and the next one begins anew", () => {
  const cap = new OutputCap({ ...limits, turnBytes: 1_000 });
  const long = text("x".repeat(400));
  expect(cap.admit(long, "a")).toBe(long);
  expect(cap.admit({ kind: "unknown-update", update: {} }, "a")).toBeDefined();
  expect(cap.admit(long, "a")).toMatchObject({ kind: "notice", level: "warning" });
  expect(cap.admit(text("y"), "a")).toBeUndefined();
  expect(cap.admit(thought("y"), "a")).toBeUndefined();
  expect(cap.admit(long, "b")).toBe(long);
});

test("what an agent says between turns is bounded like a turn", () => {
  const cap = new OutputCap({ ...limits, turnBytes: 300 });
  const admitted = Array.from({ length: 10 }, () => cap.admit(text("between"), undefined));
  expect(admitted.filter((event) => event?.kind === "text")).toHaveLength(2);
  expect(admitted.filter((event) => event?.kind === "notice")).toHaveLength(1);
});

test("behind tools and thoughts without end there is room for an answer", () => {
  const cap = new OutputCap(limits);
  const flood = Array.from({ length: 60 }, (_, n) => [
    cap.admit(update(`call ${n}`, "x".repeat(200)), "a"),
    cap.admit(thought("y".repeat(200)), "a"),
  ]).flat();
  expect(flood.filter((event) => event?.kind === "notice")).toHaveLength(1);
  expect(flood.at(-1)).toBeUndefined();
  const answer = text("z".repeat(800));
  expect(cap.admit(answer, "a")).toBe(answer);
});

test("an answer may take the whole turn when no tool does", () => {
  const cap = new OutputCap(limits);
  const long = text("x".repeat(3_700));
  expect(cap.admit(long, "a")).toBe(long);
});

test("of one tool call so much content is kept, with a mark where it was cut, and how it ended", () => {
  const cap = new OutputCap(limits);
  const shown = [300, 300, 300, 300].map((chars) =>
    shownBy(cap.admit(update("1", "é".repeat(chars / 2)), "a")),
  );
  expect(shown).toEqual([
    "é".repeat(150),
    `${"é".repeat(100)}|(The rest of this output is not kept.)`,
    undefined,
    undefined,
  ]);
  // What comes last has its own half.
  expect(shownBy(cap.admit(update("1", "end ".repeat(100), "completed"), "a"))).toBe(
    "end ".repeat(100),
  );
  const again = cap.admit(update("1", "end ".repeat(100), "completed"), "a");
  expect(shownBy(again)).toBe(`${"end ".repeat(25)}|(The rest of this output is not kept.)`);
  expect(cap.admit(update("1", "more", "failed"), "a")).toEqual({
    kind: "tool-update",
    id: "1",
    status: "failed",
  });
  expect(shownBy(cap.admit(update("2", "another call"), "a"))).toBe("another call");
});

test("a diff that does not fit is left out as a whole, and what stands behind it too", () => {
  const cap = new OutputCap(limits);
  const diff = { kind: "diff" as const, path: "a.ts", oldText: null, newText: "x".repeat(600) };
  const content = [{ kind: "text" as const, text: "first" }, diff, diff];
  const start = { kind: "tool-start", id: "1", title: "", toolKind: "edit", status: "pending" };
  const kept = cap.admit({ ...start, content } as EventBody, "a");
  expect(shownBy(kept)).toBe("first|(The rest of this output is not kept.)");
});

test.each([
  ["text", true],
  ["tool-update", true],
  ["turn-end", false],
  ["permission-answer", false],
  ["notice", false],
])("an event of kind %s counts as output: %s", (kind, expected) => {
  expect(isOutput({ kind } as EventBody)).toBe(expected);
});

test("an answer behind a tool that floods is in the log, whole", async () => {
  const call = { toolCallId: "1", title: "Read", kind: "read", status: "in_progress" };
  await using rig = new AgentRig({
    prompt: [
      { kind: "update", update: { sessionUpdate: "tool_call", ...call } },
      {
        kind: "repeat",
        times: 40,
        steps: [
          {
            kind: "update",
            update: {
              sessionUpdate: "tool_call_update",
              toolCallId: "1",
              content: [{ type: "content", content: { type: "text", text: "x".repeat(30_000) } }],
            },
          },
        ],
      },
      { kind: "text", text: "the answer" },
    ],
  });
  const events = await rig.run("go");
  const bytes = events
    .filter(({ kind }) => kind === "tool-update")
    .reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  expect(bytes).toBeLessThan(OUTPUT_LIMITS.toolBytes);
  expect(textOf(events)).toBe("the answer");
});

test("an agent that floods fills the log with 64 MiB and a note, and its turn ends as ever", async () => {
  await using rig = new AgentRig({
    prompt: [{ kind: "flood", lines: 2_400, bytes: 30_000, perWrite: 4 }],
  });
  const events = await rig.run("go");
  const bytes = events.reduce(
    (sum, event) => sum + (event.kind === "text" ? event.text.length : 0),
    0,
  );
  expect(bytes / (1024 * 1024)).toBeGreaterThan(62);
  expect(bytes / (1024 * 1024)).toBeLessThanOrEqual(64);
  expect(events.filter(({ kind }) => kind === "notice")).toMatchObject([
    { text: expect.stringMatching(/64 MiB/) },
  ]);
  expect(outcomeOf(events)).toMatchObject({ kind: "completed" });
});
