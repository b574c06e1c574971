import type { BusyWorkspace, EventBody } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { end, fold, showUsual, start, tailOf, text, thought, toolStart } from "./fold.ts";

const minute = 60_000;
const phase = (
  phase:
    | "fetching-files"
    | "preparing-workspace"
    | "waiting-workspace"
    | "starting-agent"
    | "opening-session",
): EventBody => ({
  kind: "status",
  phase,
});
const busy = (busy: BusyWorkspace): EventBody => ({
  kind: "status",
  phase: "waiting-workspace",
  busy,
});
const queued = (more: { behind?: string }): EventBody => ({
  kind: "turn-queued",
  who: "ana",
  text: "hi",
  key: "m",
  attempt: 1,
  ...more,
});
const ask: EventBody = {
  kind: "permission-ask",
  ask: {
    id: "p",
    requester: "ana",
    title: "ls",
    toolKind: "execute",
    subject: "ls",
    subjectFrom: "input",
    subjectCut: false,
    options: [],
    expiresAt: 0,
  },
};

describe("the spinner says what a view waits for", () => {
  test.each<[string, EventBody[], string]>([
    ["its turn", [queued({})], "Starting"],
    ["another turn", [queued({ behind: "t0" })], "Queued behind the running turn"],
    ["its files", [phase("fetching-files")], "Fetching your files"],
    ["the workspace", [start, phase("waiting-workspace")], "Waiting for the workspace"],
    ["a new workspace", [start, phase("preparing-workspace")], "Preparing the workspace"],
    ["a busy workspace", [start, busy({ name: "infra", since: 0 })], "infra is busy"],
    ["one without a name", [start, busy({})], "The workspace is busy"],
    [
      "another's turn in it",
      [start, busy({ name: "infra", who: "bob", since: 0 })],
      "infra is busy: another's turn",
    ],
    [
      "the own turn in another conversation",
      [start, busy({ name: "infra", who: "ana", since: 0 })],
      "infra is busy: your own turn",
    ],
    ["it no more", [start, busy({ who: "bob" }), phase("opening-session")], "Opening the session"],
    ["the agent's process", [start, phase("starting-agent")], "Starting the agent"],
    ["the session", [start, phase("opening-session")], "Opening the session"],
    ["the first word", [start], "Waiting for the agent"],
    ["thoughts", [start, thought("hm")], "Thinking"],
    ["more text", [start, text("a")], "Writing"],
    ["a tool", [start, toolStart("1", "npm test")], "npm test"],
    ["the newest of two tools", [start, toolStart("1", "a"), toolStart("2", "b")], "b +1"],
    [
      "the older of two tools",
      [start, toolStart("1", "a"), toolStart("2", "b", { status: "completed" })],
      "a",
    ],
    [
      "what comes behind a tool",
      [start, toolStart("1", "a"), { kind: "tool-update", id: "1", status: "failed" }],
      "Thinking",
    ],
    ["a person", [start, toolStart("1", "a"), ask], "Waiting for your answer"],
  ])("%s", (_, events, label) => {
    const [line] = (tailOf(fold(...events), 0) ?? "").split("\n");
    expect(line?.replace(/\.+_$/, "")).toBe(`> _${label}`);
  });
});

test("a turn that waits for another says how to end that one", () => {
  expect(tailOf(fold(queued({ behind: "t0" })), 0)).toContain("\n> `!stop` ends that one.");
  expect(tailOf(fold(queued({})), 0)).not.toContain("!stop");
});

describe("the spinner says for how long, in whole minutes", () => {
  test.each([
    [59, "npm test..."],
    [60, "npm test · 1 min..."],
    [12 * 60 + 59, "npm test · 12 min..."],
    [60 * 60, "npm test · 1 h..."],
    [125 * 60, "npm test · 2 h 5 min..."],
    [-5, "npm test..."],
  ])("%d seconds", (seconds, line) => {
    const view = fold(start, toolStart("1", "npm test"));
    expect(tailOf(view, 1_000 + seconds * 1_000)).toBe(`> _${line}_`);
  });

  test("a wait counts from the last sign of life", () => {
    const view = fold(start, thought("a"), thought("b"));
    expect(tailOf(view, 2_000 + minute)).toContain("Thinking · 1 min");
    expect(tailOf(view, 1_000 + minute)).not.toContain("min");
  });
});

test("the dots move while there is no text, and stand still below one", () => {
  const dots = (...events: EventBody[]) =>
    [0, 3_000, 6_000, 9_000].map((now) => /\.+/.exec(tailOf(fold(...events), now) ?? "")?.[0]);
  expect(dots(start)).toEqual([".", "..", "...", "."]);
  expect(dots(start, text("a"))).toEqual(["...", "...", "...", "..."]);
});

test("a title is capped so that the minutes and the count of others stay in sight", () => {
  const view = fold(start, toolStart("1", "a"), toolStart("2", "x".repeat(80)));
  expect(tailOf(view, 3 * minute)).toBe(`> _${"x".repeat(33)} +1 · 2 min..._`);
});

test("labels of the agent are no markup and name no parameter", () => {
  const view = fold(
    start,
    { kind: "status", mood: "*--model*", plan: "a_b" },
    toolStart("1", "`ls` _x_ $HOME --thinking"),
  );
  expect(tailOf(view, 0, showUsual)).toBe(
    "> _\\*--\u200Bmodel\\* • a\\_b • \\`ls\\` \\_x\\_ \\$HOME --\u200Bthinking..._",
  );
});

describe("the plan", () => {
  const plan: EventBody = {
    kind: "plan",
    entries: [
      { content: "a", status: "completed" },
      { content: "![](https://x.example) ❓", status: "pending" },
    ],
  };

  test("stands below the spinner, and its progress in the status line", () => {
    expect(tailOf(fold(start, text("t"), plan), 0)).toBe(
      "> _1/2 • Writing..._\n> ✅ a\n> ▫️ [image](https://x.example) ?",
    );
  });

  test("C20: shows no image behind what an entry before it has left open", () => {
    const entries = ["a ` b", "`![x](https://x.example)`"].map((content) => ({
      content,
      status: "pending",
    }));
    expect(tailOf(fold(start, { kind: "plan", entries }), 0)).not.toContain("![");
  });

  test("gives way to the progress that the agent states itself", () => {
    const status: EventBody = { kind: "status", plan: "7/9" };
    expect(tailOf(fold(start, text("t"), plan, status), 0)).toContain("> _7/9 •");
  });

  test("is hidden from who does not want to see it", () => {
    const tail = tailOf(fold(start, text("t"), plan), 0, { ...showUsual, plan: false });
    expect(tail).toBe("> _Writing..._");
  });
});

test("an ended view has no tail", () => {
  expect(tailOf(fold(start, end), 0)).toBeUndefined();
});
