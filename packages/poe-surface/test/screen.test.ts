import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RESPONSE_LIMITS } from "../src/limits.ts";
import { EMPTY_SCREEN, type Frame, reduceScreen, type ScreenStep } from "../src/screen.ts";

type Operation = { op: string; text?: string; line?: string; name?: string; at_ms?: number };
type Case = { id: string; fn: string; input: Operation[]; expect: unknown[][] };

const vectors = new URL("./vectors/poe-render.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: Case[] };

function show(steps: readonly ScreenStep[]): { frames: Frame[]; body: string } {
  let screen = EMPTY_SCREEN;
  const frames: Frame[] = [];
  for (const step of steps) {
    const next = reduceScreen(screen, step, RESPONSE_LIMITS);
    screen = next.screen;
    frames.push(...next.frames);
  }
  return { frames, body: screen.body };
}

/** What a reader has before them after these frames. */
function read(frames: readonly Frame[]): string {
  let body = "";
  for (const frame of frames) {
    if (frame.kind === "text") body += frame.text;
    if (frame.kind === "replace") body = frame.text;
  }
  return body;
}

describe("the golden frames", () => {
  const frameCases = cases.filter(({ fn }) => fn === "frames");

  test.each(frameCases)("$id", (one) => {
    let body = "";
    const steps = one.input.map((operation, index): ScreenStep => {
      const { op, text = "", line = "", name = "", at_ms: at = index * 100 } = operation;
      switch (op) {
        case "keepalive":
          return { kind: "tail", text: line, at };
        case "text":
          body += text;
          return { kind: "body", body };
        case "replace":
          body = text;
          return { kind: "replace", body };
        case "file":
          return { kind: "file", file: { url: "u", content_type: "t", name, inline_ref: null } };
        case "error":
          return { kind: "fail", error: { allow_retry: false, text } };
        default:
          return { kind: "done" };
      }
    });
    const frames = show(steps).frames.flatMap((frame) => {
      if (frame.kind === "fail") return [["error", frame.error.text], ["done"]];
      if (frame.kind === "done") return [["done"]];
      if (frame.kind === "file") return [["file", frame.file.name]];
      return [[frame.kind === "text" ? "text" : "replace_response", frame.text]];
    });
    expect(frames).toEqual(one.expect);
  });

  test("none of them is missing", () => {
    expect(frameCases).toHaveLength(13);
  });
});

const long = "x".repeat(RESPONSE_LIMITS.shortBodyCharacters + 1);
const tail = (text: string, at: number): ScreenStep => ({ kind: "tail", text, at });
const body = (text: string): ScreenStep => ({ kind: "body", body: text });

test("behind a long body a tail is one appended line, at most once a minute", () => {
  const { frames } = show([
    body(long),
    tail("npm test · 1 min\nplan", 0),
    tail("npm test · 1 min\nplan", 30_000),
    tail("npm test · 2 min\nplan", 60_000),
  ]);
  expect(frames.slice(1)).toEqual([
    { kind: "text", text: "\n\nnpm test · 1 min" },
    { kind: "text", text: "\nnpm test · 2 min" },
  ]);
});

test("one replace takes all marks away before text goes on", () => {
  const { frames } = show([body(long), tail("a", 0), tail("b", 60_000), body(`${long}!`)]);
  expect(frames.slice(-2)).toEqual([
    { kind: "replace", text: long },
    { kind: "text", text: "!" },
  ]);
});

test("what marks cost does not grow with the body", () => {
  const huge = "x".repeat(400_000);
  const { frames } = show([body(huge), tail("npm test", 0), tail("npm test", 60_000)]);
  const cost = frames.slice(1).reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
  expect(cost).toBeLessThan(200);
});

test("a body that is no continuation is sent as a whole", () => {
  expect(show([body("abc"), body("abx")]).frames).toEqual([
    { kind: "text", text: "abc" },
    { kind: "replace", text: "abx" },
  ]);
});

test("whatever was shown on the way, the last screen is the body alone", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("body" as const), body: fc.string() }),
    fc.record({ kind: fc.constant("replace" as const), body: fc.string() }),
    fc.record({
      kind: fc.constant("tail" as const),
      text: fc.string(),
      at: fc.nat({ max: 300_000 }),
    }),
  );
  const limits = { ...RESPONSE_LIMITS, shortBodyCharacters: 5 };
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let screen = EMPTY_SCREEN;
      const frames: Frame[] = [];
      for (const each of [...steps, { kind: "done" as const }]) {
        const next = reduceScreen(screen, each, limits);
        screen = next.screen;
        frames.push(...next.frames);
      }
      const wanted = steps.findLast((each) => each.kind !== "tail")?.body ?? "";
      expect(read(frames)).toBe(wanted);
      expect(frames.filter(({ kind }) => kind === "done")).toHaveLength(1);
      expect(frames.at(-1)).toEqual({ kind: "done" });
      expect(frames).not.toContainEqual({ kind: "text", text: "" });
    }),
  );
});
