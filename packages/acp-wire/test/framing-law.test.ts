import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from "../src/index.ts";
import { parseLine } from "../src/message.ts";
import { runs, seed } from "./soak.ts";

const MIB = 1024 * 1024;

/** A line on the wire, and the message that must come of it; undefined for one that is none. */
interface Line {
  bytes: Buffer;
  message?: unknown;
}

const good = fc
  .record({
    method: fc.string({ maxLength: 20, unit: "binary" }),
    params: fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
  })
  .map((fields): Line => {
    const message: unknown = JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...fields }));
    return { bytes: Buffer.from(JSON.stringify(message)), message };
  });
const noise = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes): Line => ({ bytes: Buffer.from(bytes.map((byte) => (byte === 10 ? 32 : byte))) }));
const broken = good.map((line): Line => ({ bytes: line.bytes.subarray(0, line.bytes.length - 1) }));
const stream = fc.array(
  fc.tuple(
    fc.oneof({ weight: 3, arbitrary: good }, noise, broken),
    fc.constantFrom("\n", "\r\n", "\n\n"),
  ),
  { maxLength: 12 },
);

/** Bytes cut at any places. */
function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((part) => Math.floor(part * bytes.length)), bytes.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

function read(chunks: readonly Uint8Array[], maxLineBytes?: number) {
  const messages: unknown[] = [];
  let oversize = 0;
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (line) => {
      const parsed = parseLine(line);
      if (typeof parsed === "object") messages.push(parsed);
    },
    onOversize: () => oversize++,
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.flush();
  return { messages, oversize };
}

describe("a stream of anything", () => {
  it(
    "brings every good line, in order, wherever it is cut",
    () => {
      const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
      fc.assert(
        fc.property(stream, cuts, (lines, at) => {
          const bytes = Buffer.concat(
            lines.flatMap(([line, end]) => [line.bytes, Buffer.from(end)]),
          );
          fc.pre(bytes.length <= 4_096);
          const wanted = lines.flatMap(([line]) => ("message" in line ? [line.message] : []));
          const { messages } = read(cut(bytes, at));
          // A line of noise may by chance be a message; good ones are never lost or changed for it.
          let next = 0;
          for (const message of messages) {
            if (next < wanted.length && JSON.stringify(message) === JSON.stringify(wanted[next]))
              next++;
          }
          expect(next).toBe(wanted.length);
        }),
        { numRuns: runs(3_000, 200_000), ...seed },
      );
    },
    20 * 60_000,
  );

  it(
    "under a small limit loses the long lines only",
    () => {
      fc.assert(
        fc.property(
          stream,
          fc.nat(120),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (lines, max, at) => {
            const bytes = Buffer.concat(lines.flatMap(([line]) => [line.bytes, Buffer.from("\n")]));
            const wanted = lines.filter(([{ bytes }]) => bytes.length <= max).length;
            const whole = read([bytes], max);
            const halves = read(cut(bytes, [at]), max);
            expect(halves).toEqual(whole);
            const long = lines.filter(([{ bytes }]) => bytes.length > max + 1).length;
            expect(whole.oversize).toBeGreaterThanOrEqual(long);
            expect(whole.oversize).toBeLessThanOrEqual(lines.length - wanted);
          },
        ),
        { numRuns: runs(1_000, 50_000), ...seed },
      );
    },
    20 * 60_000,
  );
});

describe("a line of 32 MiB", () => {
  const message = (bytes: number) => {
    const frame = '{"jsonrpc":"2.0","method":"x","params":""}';
    return Buffer.from(frame.replace('""', `"${"z".repeat(bytes - frame.length)}"`));
  };
  const tail = Buffer.from('\n{"id":1,"result":1}\n');
  const inPipeChunks = (bytes: Buffer) =>
    Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536),
    );

  it.each([
    ["just fits", message(DEFAULT_MAX_LINE_BYTES), 2, 0],
    ["is one byte too long", message(DEFAULT_MAX_LINE_BYTES + 1), 1, 1],
    ["is noise", Buffer.alloc(DEFAULT_MAX_LINE_BYTES, "x"), 1, 0],
    ["is blank", Buffer.alloc(DEFAULT_MAX_LINE_BYTES, " "), 1, 0],
    ["goes on to 96 MiB", Buffer.alloc(96 * MIB, "x"), 1, 1],
  ])(
    "that %s costs no good line",
    (_, line, messages, oversize) => {
      const bytes = Buffer.concat([line, tail]);
      for (const chunks of [inPipeChunks(bytes), [bytes]]) {
        const seen = read(chunks);
        expect(seen.messages).toHaveLength(messages);
        expect(seen.messages.at(-1)).toEqual({ id: 1, result: 1 });
        expect(seen.oversize).toBe(oversize);
      }
    },
    60_000,
  );

  it("that never ends holds no more than its limit", () => {
    const splitter = new LineSplitter({ maxLineBytes: MIB, onLine: () => {} });
    const chunk = Buffer.alloc(65_536, "x");
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < 4_096; at++) splitter.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MIB);
  });

  it("that comes byte by byte is put together in time", () => {
    const bytes = Buffer.concat([message(MIB), tail]);
    const single = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    expect(read(single).messages).toHaveLength(2);
  }, 30_000);
});
