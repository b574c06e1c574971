import { expect, test } from "vitest";
import type { EventBody } from "../src/index.ts";
import { isOutput, OutputCap } from "../src/output-cap.ts";
import { AgentRig, outcomeOf } from "./agent-rig.ts";

const text = (words: string): EventBody => ({ kind: "text", text: words });

test("a turn is cut once it is too long, with one note, and the next one begins anew", () => {
  const cap = new OutputCap(1_000);
  const long = text("x".repeat(400));
  expect(cap.admit(long, "a")).toBe(long);
  expect(cap.admit({ kind: "unknown-update", update: {} }, "a")).toBeDefined();
  expect(cap.admit(long, "a")).toMatchObject({ kind: "notice", level: "warning" });
  expect(cap.admit(text("y"), "a")).toBeUndefined();
  expect(cap.admit(long, "b")).toBe(long);
});

test("what an agent says between turns is bounded like a turn", () => {
  const cap = new OutputCap(300);
  const admitted = Array.from({ length: 10 }, () => cap.admit(text("between"), undefined));
  expect(admitted.filter((event) => event?.kind === "text")).toHaveLength(2);
  expect(admitted.filter((event) => event?.kind === "notice")).toHaveLength(1);
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
  expect(events.filter(({ kind }) => kind === "notice")).toMatchObject([{ text: /64 MiB/ }]);
  expect(outcomeOf(events)).toMatchObject({ kind: "completed" });
});
