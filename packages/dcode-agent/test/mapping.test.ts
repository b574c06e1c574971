import { ClientError } from "@acp-kit/dcode-client";
import { ProtocolError } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import { isTruncated, parseHunks, toolDiffs } from "../src/mapping/diff.ts";
import { rpcError, turnFailure } from "../src/mapping/errors.ts";
import { planEntries } from "../src/mapping/plan.ts";
import { stopReason } from "../src/mapping/stop-reason.ts";
import { toolKind, toolLocations, toolTitle } from "../src/mapping/tool-card.ts";
import { noticesOf, reduceAll, told, turnCompleted, turnStarted, updatesOf } from "./events.ts";

test.each([
  ["done", "end_turn"],
  ["unverified", "end_turn"],
  ["incomplete", "end_turn"],
  ["interrupted", "cancelled"],
  ["max_iterations", "max_turn_requests"],
  ["max_tokens", "max_tokens"],
  ["repeat_loop", "max_turn_requests"],
  ["error", undefined],
  ["from a newer daemon", "end_turn"],
])("a turn that ends as %s ends its prompt as %s", (reason, stop) => {
  expect(stopReason(reason)).toBe(stop);
});

test.each([
  ["session_not_found", -32002],
  ["invalid_input", -32602],
  ["workspace_invalid", -32602],
  ["turn_already_active", -32600],
  ["no_active_turn", -32600],
  ["auth", -32000],
  ["max_sessions_reached", -32603],
  ["internal", -32603],
  ["quota", -32603],
])("the refusal %s is the error %d, with its code in the data", (code, rpc) => {
  expect(rpcError(new ProtocolError(code, "why"))).toMatchObject({
    code: rpc,
    message: "why",
    data: { code },
  });
});

test("a failure of the client is told with its sentence, and what nobody expected with none", () => {
  const cause = new ProtocolError("invalid_input", "x");
  expect(
    rpcError(new ClientError("Nobody is there.", { code: "unreachable", cause })),
  ).toMatchObject({ code: -32603, message: "Nobody is there.", data: { code: "unreachable" } });
  expect(rpcError(new Error("secret"))).toMatchObject({ code: -32603, message: "Internal error" });
});

test("a turn that began never fails as an unknown session, which would invite to send its prompt again", () => {
  expect(turnFailure({ code: "session_not_found", message: "x" }).code).toBe(-32603);
  expect(turnFailure({ code: "auth", message: "x" }).code).toBe(-32000);
  expect(turnFailure(undefined).message).toContain("does not say why");
});

test.each([
  ["read", "read"],
  ["write", "edit"],
  ["edit", "edit"],
  ["glob", "search"],
  ["grep", "search"],
  ["symbol", "search"],
  ["bash", "execute"],
  ["process", "execute"],
  ["fetch", "fetch"],
  ["plan", "think"],
  ["explore", "other"],
  ["remember", "other"],
  ["constructor", "other"],
])("the tool %s is of the kind %s", (name, kind) => {
  expect(toolKind(name)).toBe(kind);
});

test.each([
  ["bash", { command: "ls\n  -la" }, "ls -la"],
  ["read", { path: "a.ts" }, "read a.ts"],
  ["grep", { pattern: "x+" }, "grep x+"],
  ["mystery", {}, "mystery"],
  ["", null, "tool"],
])("a call of %s with %j is titled %s", (name, input, title) => {
  expect(toolTitle(name, input)).toBe(title);
});

test("locations are absolute, of the input's path and of its edits, each once", () => {
  const input = { path: "a", edits: [{ path: "b/../a" }, { path: "/c" }, { path: 7 }] };
  expect(toolLocations(input, "/w").map(({ path }) => path)).toEqual(["/w/a", "/c"]);
});

test("a plan is sorted by id, and a blocked item is pending with its reason", () => {
  const item = (id: number, status: string, blocked?: string) => ({
    id,
    text: `item ${id}`,
    status,
    ...(blocked && { blocked }),
  });
  expect(
    planEntries([item(3, "blocked", "no key"), item(1, "done"), item(2, "active"), item(4, "new")]),
  ).toEqual([
    { content: "item 1", priority: "medium", status: "completed" },
    { content: "item 2", priority: "medium", status: "in_progress" },
    { content: "item 3 (blocked: no key)", priority: "medium", status: "pending" },
    { content: "item 4", priority: "medium", status: "pending" },
  ]);
});

describe("diffs", () => {
  const result = (output: string, diff?: string) => ({ output, ...(diff && { diff }) });

  test("of an edit are its input's snippets, of several edits each", () => {
    const input = {
      path: "a",
      edits: [
        { old_string: "1", new_string: "2" },
        { path: "/b", old_string: "", new_string: "3" },
      ],
    };
    expect(toolDiffs("edit", input, result("", "@@ -1,1 +1,1 @@ a\n-1\n+2"), "/w")).toEqual([
      { type: "diff", path: "/w/a", oldText: "1", newText: "2" },
      { type: "diff", path: "/b", oldText: "", newText: "3" },
    ]);
  });

  test("of a file that was created have no old text, of one that was replaced the hunks", () => {
    const input = { path: "a", content: "new\n" };
    expect(toolDiffs("write", input, result("created a", "@@ -0,0 +1,1 @@ a\n+new"), "/w")).toEqual(
      [{ type: "diff", path: "/w/a", oldText: null, newText: "new\n" }],
    );
    const hunks = "@@ -1,2 +1,2 @@ a\n same\n-old\n+new\n";
    expect(toolDiffs("write", input, result("replaced a", hunks), "/w")).toEqual([
      { type: "diff", path: "/w/a", oldText: "same\nold\n", newText: "same\nnew\n" },
    ]);
    expect(toolDiffs("write", input, result("replaced a"), "/w")).toEqual([
      { type: "diff", path: "/w/a", newText: "new\n" },
    ]);
  });

  test("are read from hunks of several files, up to the mark where the daemon cut them", () => {
    const diff = "@@ -0,0 +1 @@ a b\n+x\n@@ -3,1 +3,0 @@ c\n--- x\n⋯ diff truncated";
    expect(parseHunks(diff)).toEqual([
      { path: "a b", oldText: null, newText: "x\n" },
      { path: "c", oldText: "-- x\n", newText: "" },
    ]);
    expect(isTruncated(diff)).toBe(true);
    expect(parseHunks("no hunk at all")).toEqual([]);
  });
});

test.each([
  [
    "session.compacted",
    { from_seq: 1, to_seq: 2, messages: 12, kept: 3 },
    "info: Earlier messages were summarised (12 messages; 3 are kept).",
  ],
  ["skill.loaded", { name: "tests" }, "info: Skill: tests"],
  ["session.error", { code: "memory_unreadable", message: "" }, "error: memory_unreadable"],
])("%s outside of a turn is a notice", (type, payload, notice) => {
  expect(noticesOf(reduceAll([told(type, payload)]).mapped)).toEqual([notice]);
});

test("an error within a turn is said once, when the turn ends", () => {
  const error = told("session.error", { code: "quota", message: "no money" });
  const { mapped } = reduceAll([turnStarted(), error]);
  expect(noticesOf(mapped)).toEqual([]);
  const ended = reduceAll([turnStarted(), error, turnCompleted("error")]);
  expect(noticesOf(ended.mapped)).toEqual(["error: no money"]);
});

test("what somebody else asks or adds is told as the user's text", () => {
  const steered = told("turn.steered", { turn_id: "t1", text: "faster" });
  const { mapped } = reduceAll([turnStarted("t1", "theirs"), steered]);
  expect(updatesOf(mapped, "user_message_chunk").map(({ content }) => content)).toEqual([
    { type: "text", text: "theirs" },
    { type: "text", text: "faster" },
  ]);
});

test("pieces between two tools are one message, and a thought is another one", () => {
  const say = (type: string, text: string) => told(type, { turn_id: "t1", text });
  const { mapped } = reduceAll([
    turnStarted(),
    say("message.delta", "a"),
    say("message.delta", "b"),
    say("message.reasoning", "c"),
    say("message.delta", "d"),
  ]);
  const ids = updatesOf(mapped)
    .filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("agent_"))
    .map(({ messageId }) => messageId);
  expect(ids).toEqual(["s1:2", "s1:2", "s1:4", "s1:5"]);
});
