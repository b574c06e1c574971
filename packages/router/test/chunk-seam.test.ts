import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkSeam } from "../src/chunk-seam.ts";
import { parseSessionUpdate } from "../src/session-update.ts";

const chunk = (
  text: string,
  sessionUpdate = "agent_message_chunk",
  sessionId = "s",
): SessionUpdateParams => ({
  sessionId,
  update: { sessionUpdate, content: { type: "text", text } },
});

/** What the log has of these updates, one text after the other. */
function heard(...updates: readonly SessionUpdateParams[]): string[] {
  const seam = new ChunkSeam();
  return updates.flatMap((params) =>
    parseSessionUpdate(seam.join(params)).map((event) => ("text" in event ? event.text : "")),
  );
}

test("a text that is cut anywhere arrives whole, and no event holds half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat({ max: 40 })), (text, places) => {
      const cuts = [0, ...places.sort((one, other) => one - other), text.length];
      const chunks = cuts.map((end, at) => text.slice(cuts[at - 1] ?? 0, end));
      const texts = heard(...chunks.map((one) => chunk(one)));
      expect(texts.join("")).toBe(text);
      expect(texts.every((one) => one.isWellFormed())).toBe(true);
    }),
  );
});

test("half a character waits for its own kind of chunk and its own session only", () => {
  const half = "\uD83C";
  const rest = "\uDF32";
  expect(heard(chunk(half), chunk("b", "agent_thought_chunk"), chunk(rest))).toEqual(["b", "🌲"]);
  expect(heard(chunk(half), chunk(rest, "agent_thought_chunk"))).toEqual([]);
  expect(heard(chunk(half), chunk(rest, "agent_message_chunk", "other"))).toEqual([]);
  expect(heard(chunk(half), chunk("a"))).toEqual(["a"]);
});

test("an update that is cut between characters passes as it is", () => {
  const seam = new ChunkSeam();
  for (const params of [chunk("a🌲"), chunk(""), { sessionId: "s", update: { x: 1 } }]) {
    expect(seam.join(params as SessionUpdateParams)).toBe(params);
  }
});
