import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "../src/line-splitter.ts";
import { parseLine } from "../src/message.ts";

type Event = { message: unknown } | { noise: string } | { oversize: true };
interface Vector {
  id: string;
  chunks: string[];
  eof: boolean;
  expect: Event[];
  max_bytes?: number;
}

const { cases } = JSON.parse(
  readFileSync(new URL("vectors/acp-ndjson.json", import.meta.url), "utf8"),
) as { cases: Vector[] };

describe("framing vectors", () => {
  it("are 120", () => expect(cases).toHaveLength(120));

  it.each(cases.map((vector) => [vector.id, vector] as const))("%s", (_, vector) => {
    const expected = decode(vector.expect);
    const chunks = vector.chunks.map((chunk) => Buffer.from(chunk, "base64"));
    const whole = Buffer.concat(chunks);
    expect(events(chunks, vector)).toEqual(expected);
    expect(events([whole], vector)).toEqual(expected);
    expect(events(cut(whole, 1), vector)).toEqual(expected);
    for (let at = 0; at <= whole.length; at++) {
      expect(events([whole.subarray(0, at), whole.subarray(at)], vector)).toEqual(expected);
    }
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        expect(events(cutAt(whole, cuts), vector)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});

function events(
  chunks: Uint8Array[],
  { eof, max_bytes }: Pick<Vector, "eof" | "max_bytes">,
): Event[] {
  const seen: Event[] = [];
  const splitter = new LineSplitter({
    maxLineBytes: max_bytes,
    onLine: (line) => {
      const parsed = parseLine(line);
      if (typeof parsed === "object") seen.push({ message: parsed });
      else if (parsed !== "blank") seen.push({ noise: line });
    },
    onOversize: () => seen.push({ oversize: true }),
  });
  for (const chunk of chunks) splitter.push(chunk);
  if (eof) splitter.flush();
  return seen;
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function cutAt(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

/** Strings that JSON cannot hold stand in the file as their UTF-16 code units. */
function decode<T>(value: T): T {
  if (Array.isArray(value)) return value.map(decode) as T;
  if (typeof value !== "object" || value === null) return value;
  if ("$utf16" in value) return String.fromCharCode(...(value.$utf16 as number[])) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, decode(member)]),
  ) as T;
}
