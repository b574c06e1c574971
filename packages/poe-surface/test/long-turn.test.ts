import { expect, test } from "vitest";
import { RESPONSE_LIMITS } from "../src/index.ts";
import { finished, Rig } from "./rig.ts";
import { Stage } from "./stage.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE_MS = 60_000;
const body = "word ".repeat(4_000);

/** A response with 20,000 characters, under which a tool call says nothing for so many minutes. */
async function silent(minutes: number): Promise<Stage> {
  const stage = await Stage.open(NOON);
  await stage.add({ kind: "text", text: body });
  await stage.add({
    kind: "file",
    path: "sent/a",
    name: "a",
    contentType: "text/plain",
    bytes: 1,
    sha256: "",
  });
  await stage.add({
    kind: "tool-start",
    id: "1",
    title: "npm test",
    toolKind: "execute",
    status: "in_progress",
    content: [],
  });
  await stage.passTo(NOON + minutes * MINUTE_MS);
  return stage;
}

test("D1: a silent tool call of 50 minutes behind a file stays alive within all budgets", async () => {
  await using stage = await silent(50);
  const { budget } = stage.reader;
  const quiet = stage.writes.slice(1).map((at, index) => at - (stage.writes[index] ?? at));
  expect(Math.max(...quiet)).toBeLessThanOrEqual(RESPONSE_LIMITS.keepAliveMs);
  await stage.add({ kind: "tool-update", id: "1", status: "completed" });
  await stage.add({ kind: "text", text: "All green." });
  await stage.add({ kind: "turn-end", outcome: { kind: "completed", stopReason: "end_turn" } });
  await stage.finish();
  expect(stage.reader.violations).toEqual([]);
  expect(stage.reader.body()).toBe(`${body}[npm test]All green.`);
  // A mark a minute, and the long body once more, to take them away.
  const marks = stage.texts("text").filter((text) => text.startsWith("\n"));
  expect(marks.length).toBeGreaterThanOrEqual(45);
  expect(marks.length).toBeLessThanOrEqual(51);
  const whole = stage.texts("replace_response").filter((text) => text.length > 4_000);
  expect(whole).toEqual([`${body}[npm test]`]);
  expect(budget.events).toBeLessThan(100);
  expect(stage.reader.budget.allCharacters).toBeLessThan(50_000);
});

test("a silent tool call is told only after a quarter of an hour", async () => {
  const told = async (minutes: number) => {
    await using stage = await silent(minutes);
    await stage.finish();
    return stage.texts("text").some((text) => text.includes("No sign of life"));
  };
  expect(await told(14)).toBe(false);
  expect(await told(17)).toBe(true);
});

test("a tool call that outlasts its response is parked at the limit, and its end is what the next message shows first", async () => {
  expect(RESPONSE_LIMITS.parkAfterMs).toBe(55 * MINUTE_MS);
  await using rig = await Rig.open({ limits: { parkAfterMs: 600 } });
  const query = rig.ask("test");
  const prompt = await rig.agent.prompted(1);
  prompt.say("Running the tests. ");
  prompt.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "npm test" });
  expect(await finished(query)).toBe(
    "Running the tests. [npm test]\n\n(notice) Still working. Send `.` any time to see the rest.",
  );
  prompt.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" });
  prompt.say("All green.");
  prompt.end();
  await rig.event(({ kind }) => kind === "turn-end");
  await using wide = await rig.surfaceWith({});
  const next = wide.ask("thanks");
  const second = await rig.agent.prompted(2);
  second.say("Welcome.");
  second.end();
  expect(await finished(next)).toBe(
    "(notice) You have not seen this yet:\n\nAll green.\n\n---\n\nWelcome.",
  );
});
