import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClientError } from "../src/index.ts";
import { type SseFrame, SseReader } from "../src/sse-reader.ts";

const LIMIT = 1_000;

function read(...chunks: string[]): SseFrame[] {
  const reader = new SseReader(LIMIT);
  return chunks.flatMap((chunk) => reader.push(chunk));
}

const stream = [
  "\uFEFF: ping\n\n",
  'id: 1\ndata: {"a":"é 😀"}\n\n',
  "data: two\r\ndata: lines\r\nid: 2\r\n\r\n",
  "id:3\rdata:  kept space\r\r",
  "event: other\nretry: 5\nid\ndata\n\n",
  ": ping\n\n",
  "id: 9\n\n",
  "data: a\u2028b\n\n",
  "data: cut off by the end\n",
].join("");

const frames: SseFrame[] = [
  { id: "1", data: '{"a":"é 😀"}' },
  { id: "2", data: "two\nlines" },
  { id: "3", data: " kept space" },
  { id: "", data: "" },
  { id: undefined, data: "a\u2028b" },
];

describe("a stream is cut into the same frames", () => {
  test("whole", () => {
    expect(read(stream)).toEqual(frames);
  });

  test("character by character", () => {
    expect(read(...stream.split(""))).toEqual(frames);
  });

  test("split at every index", () => {
    for (let index = 0; index <= stream.length; index += 1) {
      expect(read(stream.slice(0, index), stream.slice(index)), `at ${index}`).toEqual(frames);
    }
  });

  test("in any pieces, empty ones included", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const chunks = places.slice(1).map((end, index) => stream.slice(places[index], end));
        expect(read(...chunks)).toEqual(frames);
      }),
    );
  });

  test("whichever line ends it uses", () => {
    const plain = stream.replaceAll(/\r\n|\r/g, "\n");
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(read(plain.replaceAll("\n", end)), JSON.stringify(end)).toEqual(frames);
    }
  });
});

test("what is put into frames is read back", () => {
  const content = fc
    .string({ unit: "binary", maxLength: 50 })
    .filter((text) => !/[\r\n]/.test(text));
  fc.assert(
    fc.property(fc.array(fc.array(content, { minLength: 1, maxLength: 3 })), (events) => {
      const text = events
        .map((lines) => `${lines.map((line) => `data: ${line}\n`).join("")}\n`)
        .join("");
      expect(read(text).map(({ data }) => data)).toEqual(events.map((lines) => lines.join("\n")));
    }),
  );
});

describe("a frame beyond the limit is refused", () => {
  test.each([
    ["in one line", [`data: ${"x".repeat(LIMIT)}`, "x"]],
    ["in many lines", Array.from({ length: LIMIT + 1 }, () => "data: x\n")],
    ["in a comment that never ends", Array.from({ length: LIMIT }, () => ": x")],
  ])("%s", (_, chunks) => {
    expect(() => read(...chunks)).toThrow(ClientError);
  });

  test("but what came before counts only while its frame is open", () => {
    const chunks = Array.from({ length: 50 }, () => `data: ${"x".repeat(LIMIT / 2)}\n\n: ping\n\n`);
    expect(read(...chunks, ...chunks.flatMap((chunk) => chunk.split(/(?<=x{100})/)))).toHaveLength(
      100,
    );
  });
});

test("a long line in small pieces is joined once, not with each piece", { timeout: 20_000 }, () => {
  const reader = new SseReader(Number.POSITIVE_INFINITY);
  const piece = "x".repeat(256);
  const pieces = 100_000;
  reader.push("data: ");
  // Copied with each piece, this line would move a terabyte, which takes minutes.
  for (let index = 0; index < pieces; index += 1) reader.push(piece);
  const [frame] = reader.push("\n\n");
  expect(frame?.data.length).toBe(piece.length * pieces);
});
