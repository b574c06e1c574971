import type { EventBody, TurnOutcome } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { bodyOf, end, fold, showUsual, start, text, toolStart } from "./fold.ts";

const ended = (outcome: TurnOutcome): EventBody => ({ kind: "turn-end", outcome });
const mood: EventBody = { kind: "status", mood: "calm", plan: "" };

describe("how a turn ended stands below what it has said", () => {
  test.each<[string, TurnOutcome, string]>([
    [
      "max_tokens",
      { kind: "completed", stopReason: "max_tokens" },
      "_(response truncated: max tokens)_",
    ],
    [
      "max_turn_requests",
      { kind: "completed", stopReason: "max_turn_requests" },
      "_(response truncated: max turns)_",
    ],
    ["refusal", { kind: "completed", stopReason: "refusal" }, "_(the agent refused the request)_"],
    [
      "cancelled by the agent",
      { kind: "completed", stopReason: "cancelled" },
      "_(the agent stopped by itself)_",
    ],
    ["a person's stop", { kind: "cancelled", cause: "user" }, "_(stopped)_"],
    [
      "a newer message",
      { kind: "cancelled", cause: "superseded" },
      "_(stopped: a newer message took over)_",
    ],
    [
      "an interruption",
      { kind: "interrupted", ref: "7F3K" },
      "⚠️ The relay was interrupted in the middle of this turn. Send a message to go on. (ref 7F3K)",
    ],
    [
      "an exit code",
      { kind: "agent-exited", phase: "start", code: 127, signal: null, ref: "7F3K" },
      "⚠️ The agent stopped unexpectedly while starting (exit code 127). Your next message starts it again. (ref 7F3K)",
    ],
    [
      "a signal",
      { kind: "agent-exited", phase: "session", code: null, signal: "SIGKILL" },
      "⚠️ The agent stopped unexpectedly while opening the session (signal SIGKILL). Your next message starts it again.",
    ],
    [
      "neither",
      { kind: "agent-exited", phase: "prompt", code: null, signal: null },
      "⚠️ The agent stopped unexpectedly while answering (exit code unknown). Your next message starts it again.",
    ],
    [
      "a failure",
      {
        kind: "failed",
        phase: "session",
        code: "agent-error",
        message: "The agent said no to --model.",
      },
      "⚠️ The agent said no to --\u200Bmodel.",
    ],
  ])("%s", (_, outcome, line) => {
    expect(bodyOf(fold(start, text("half"), ended(outcome)))).toBe(`half\n\n${line}`);
  });

  test.each(["edited", "deleted", "stalled", "limit", "shutdown"] as const)(
    "a turn that was stopped says why: %s",
    (cause) => {
      expect(bodyOf(fold(start, ended({ kind: "cancelled", cause })))).toMatch(
        /^_\(stopped: .+\)_$/,
      );
    },
  );
});

test("a dead agent leaves what it was running, not what had ended", () => {
  const died = ended({ kind: "agent-exited", phase: "prompt", code: 1, signal: null });
  const done: EventBody = { kind: "tool-update", id: "2", status: "completed" };
  const view = fold(start, toolStart("1", "npm `test`"), toolStart("2", "ls"), done, died);
  expect(bodyOf(view)).toContain("It was running `npm 'test'`.");
});

test("an end that we do not know says nothing", () => {
  expect(bodyOf(fold(start, text("all"), ended({ kind: "completed", stopReason: "moon" })))).toBe(
    "all",
  );
});

describe("a turn without a word says so", () => {
  const silent = "_(the agent ended its turn without an answer)_";

  test.each<[string, EventBody[], string]>([
    ["nothing at all", [start, end], silent],
    ["blank text", [start, text(" \n"), end], silent],
    ["tools only", [start, toolStart("1", "ls"), end], `> \`🔧 ls\`\n\n${silent}`],
    ["the rest of a turn", [{ kind: "usage", used: 1, size: 2 }, end], "_(nothing more)_"],
  ])("%s", (_, events, body) => {
    expect(bodyOf(fold(...events), showUsual)).toBe(body);
  });

  test("an image, a sound or a link is an answer", () => {
    const image: EventBody = { kind: "content", type: "image", contentType: "image/png" };
    const link: EventBody = {
      kind: "content",
      type: "resource_link",
      name: "a `b`\u202E--model",
      uri: "https://example.com/a_b",
    };
    expect(bodyOf(fold(start, image, end), showUsual)).toBe("> 🖼️ an image · image/png");
    expect(bodyOf(fold(start, link, end), showUsual)).toBe(
      "> 🔗 a link · a \\`b\\` --\u200Bmodel · https://example.com/a\\_b",
    );
    expect(bodyOf(fold(start, { kind: "content", type: "hologram" }, end), showUsual)).toBe(
      "> 📎 something that cannot be shown here",
    );
  });

  test("the rest of a turn that shows something does not", () => {
    const answer: EventBody = { kind: "permission-answer", permission: "p", end: "expired" };
    expect(bodyOf(fold(answer, end))).not.toContain("answer)");
  });
});

describe("the status line stands under an answer", () => {
  test.each<[string, TurnOutcome, boolean]>([
    ["that is whole", { kind: "completed", stopReason: "end_turn" }, true],
    ["that was cut short", { kind: "completed", stopReason: "max_tokens" }, true],
    ["not under a refusal", { kind: "completed", stopReason: "refusal" }, false],
    ["not under a stopped turn", { kind: "cancelled", cause: "user" }, false],
    ["not under a failure", { kind: "failed", phase: "prompt", code: "x", message: "No." }, false],
  ])("%s", (_, outcome, shown) => {
    expect(bodyOf(fold(start, mood, text("a"), ended(outcome))).endsWith("\n\n_calm_")).toBe(shown);
  });

  test("not while it runs", () => {
    expect(bodyOf(fold(start, mood, text("a")))).toBe("a");
  });
});
