import { encodePoeEvent, POE_LIMITS, type PoeEvent, PREAMBLE } from "@acp-kit/poe-protocol";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPoeReader } from "../../src/poe/reader.ts";

const META = 'event: meta\ndata: {"content_type":"text/markdown","suggested_replies":false}\n\n';
const DONE = "event: done\ndata: {}\n\n";
const text = (text: string) => `event: text\ndata: ${JSON.stringify({ text })}\n\n`;
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function read(stream: string | Uint8Array, limits = POE_LIMITS) {
  const reader = createPoeReader(limits);
  reader.push(typeof stream === "string" ? Buffer.from(stream) : stream);
  reader.end();
  return reader;
}

const violationsOf = (stream: string | Uint8Array) =>
  read(stream).violations.map(({ code }) => code);

describe("a clean response", () => {
  it.each([
    ["the shortest", META + text("x") + DONE],
    ["CRLF line ends", (META + text("x") + DONE).replaceAll("\n", "\r\n")],
    ["comments before meta and between", `: hi\n\n${META}: ka\n\n${text("x")}: ka\n\n${DONE}`],
    ["an error without text", META + event("error", { allow_retry: false, text: "no" }) + DONE],
    ["only a replace_response", META + event("replace_response", { text: "" }) + DONE],
    [
      "data, which Poe's client does not know",
      `${META}${text("x")}${event("data", { metadata: "m" })}${DONE}`,
    ],
    [
      "a file with null",
      META +
        text("x") +
        event("file", { url: "u", content_type: "t", name: "n", inline_ref: null }) +
        DONE,
    ],
    ["an index", META + event("text", { text: "x", index: 1 }) + DONE],
    ["an unknown key", META + event("text", { text: "x", future: true }) + DONE],
    ["no space behind the colon", META + text("x").replaceAll(": ", ":") + DONE],
  ])("%s has no violation", (_, stream) => {
    expect(read(stream).violations).toEqual([]);
    expect(read(stream).isDone).toBe(true);
  });
});

describe("the body", () => {
  it.each([
    ["texts are appended", META + text("a") + text("b") + DONE, "ab"],
    [
      "replace drops what was there",
      `${META}${text("a")}${event("replace_response", { text: "b" })}${text("c")}${DONE}`,
      "bc",
    ],
    [
      "an error text is not part of it",
      META + text("a") + event("error", { allow_retry: true, text: "no" }) + DONE,
      "a",
    ],
    ["what follows done is not shown", META + text("a") + DONE + text("b"), "a"],
    [
      "what follows error is not shown",
      META + text("a") + event("error", { allow_retry: true, text: "no" }) + text("b") + DONE,
      "a",
    ],
  ])("%s", (_, stream, body) => {
    expect(read(stream).body()).toBe(body);
  });
});

describe("violations", () => {
  it.each<[string, string | Uint8Array, string[]]>([
    ["nothing at all", "", ["done-missing"]],
    ["no done", META + text("x"), ["done-missing"]],
    ["no output", META + DONE, ["no-output"]],
    [
      "a file is no output",
      META + event("file", { url: "u", content_type: "t", name: "n" }) + DONE,
      ["no-output"],
    ],
    ["text first", text("x") + DONE, ["meta-first"]],
    ["a late meta", META + text("x") + META + DONE, ["meta-once"]],
    ["meta with a string", `event: meta\ndata: "x"\n\n${text("x")}${DONE}`, ["bad-json"]],
    [
      "meta of another content type",
      event("meta", { content_type: "text/html", suggested_replies: false }) + text("x") + DONE,
      ["bad-data"],
    ],
    [
      "meta that leaves suggested_replies to a default",
      event("meta", { content_type: "text/plain" }) + text("x") + DONE,
      ["bad-data"],
    ],
    ["a ping", `${META}event: ping\ndata: {}\n\n${text("x")}${DONE}`, ["unknown-event"]],
    ["a ping without JSON", `${META}event: ping\ndata: now\n\n${text("x")}${DONE}`, ["bad-json"]],
    [
      "a frame without an event name",
      `${META}data: {"text":"x"}\n\n${text("x")}${DONE}`,
      ["unknown-event"],
    ],
    ["done without data", `${META}${text("x")}event: done\n\n`, ["bad-json", "done-missing"]],
    [
      "done with empty data",
      `${META}${text("x")}event: done\ndata:\n\n`,
      ["bad-json", "done-missing"],
    ],
    ["data that is a list", `${META}event: text\ndata: ["x"]\n\n${text("x")}${DONE}`, ["bad-json"]],
    [
      "data cut by a raw line end",
      `${META}event: text\ndata: {"text":"a\nb"}\n\n${text("x")}${DONE}`,
      ["stray-line", "bad-json"],
    ],
    ["a text that is a number", META + event("text", { text: 5 }) + text("x") + DONE, ["bad-data"]],
    [
      "half a character",
      META + event("text", { text: "a\ud83d" }) + text("x") + DONE,
      ["bad-data"],
    ],
    [
      "an index that is a string",
      META + event("text", { text: "x", index: "1" }) + text("x") + DONE,
      ["bad-data"],
    ],
    [
      "a file without a name",
      META + text("x") + event("file", { url: "u", content_type: "t" }) + DONE,
      ["bad-data"],
    ],
    [
      "a file with an empty reference",
      META +
        text("x") +
        event("file", { url: "u", content_type: "t", name: "n", inline_ref: "" }) +
        DONE,
      ["bad-data"],
    ],
    [
      "an error that leaves allow_retry to a default",
      META + text("x") + event("error", { text: "x" }) + DONE,
      ["bad-data"],
    ],
    [
      "an error type that Poe drops",
      META +
        text("x") +
        event("error", { allow_retry: true, text: "x", error_type: "agent_died" }) +
        DONE,
      ["bad-data"],
    ],
    [
      "text after error",
      META + event("error", { allow_retry: true, text: "x" }) + text("x") + DONE,
      ["after-error"],
    ],
    [
      "a comment after error",
      `${META}${event("error", { allow_retry: true, text: "x" })}: ka\n\n${DONE}`,
      ["after-error"],
    ],
    ["done twice", META + text("x") + DONE + DONE, ["after-done"]],
    ["a comment after done", `${META}${text("x")}${DONE}: ka\n\n`, ["after-done"]],
    ["an id field", `id: 1\n${META}${text("x")}${DONE}`, ["stray-line"]],
    ["a byte order mark", `\ufeff${META}${text("x")}${DONE}`, ["stray-line", "unknown-event"]],
    [
      "bytes that are not UTF-8",
      Buffer.concat([
        Buffer.from(META),
        Buffer.from(text("x"), "latin1"),
        Buffer.from(text("é"), "latin1"),
        Buffer.from(DONE),
      ]),
      ["bad-utf8"],
    ],
    [
      "an end inside a frame",
      META + text("x") + DONE.slice(0, -1),
      ["unfinished-frame", "done-missing"],
    ],
    ["an end inside a line", `${META}${text("x")}${DONE}event: te`, ["unfinished-frame"]],
  ])("%s", (_, stream, violations) => {
    expect(violationsOf(stream)).toEqual(violations);
  });

  it("a limit is reported once, when it is passed and not when it is reached", () => {
    const limits = { ...POE_LIMITS, events: 4, textCharacters: 3 };
    expect(read(META + text("abc") + text("") + DONE, limits).violations).toEqual([]);
    const passed = read(META + text("abc") + text("d") + text("e") + text("f") + DONE, limits);
    expect(passed.violations.map(({ code }) => code)).toEqual(["too-much-text", "too-many-events"]);
  });

  it("says which event it was", () => {
    expect(read(`${META}event: ping\ndata: {}\n\n`).violations[0]?.message).toBe(
      "event 2 (ping) is not in the protocol",
    );
  });
});

describe("splitting", () => {
  const stream = Buffer.from(
    `: hi\r\n\r\n${META}${text("é😀\n")}${event("replace_response", { text: "b" })}${DONE}`,
  );

  it("the result is the same split at every index, and byte by byte", () => {
    const whole = read(stream);
    expect(whole.violations).toEqual([]);
    for (let at = 0; at <= stream.length; at += 1) {
      const reader = createPoeReader();
      reader.push(stream.subarray(0, at));
      reader.push(stream.subarray(at));
      reader.end();
      expect(reader.frames).toEqual(whole.frames);
      expect(reader.violations).toEqual([]);
    }
    const single = createPoeReader();
    for (const byte of stream) single.push(Uint8Array.of(byte));
    single.end();
    expect(single.frames).toEqual(whole.frames);
    expect(single.violations).toEqual([]);
  });

  it("CR LF torn apart is one line end, and CR alone is one too", () => {
    for (const lineEnd of ["\r\n", "\r"]) {
      const reader = createPoeReader();
      for (const byte of Buffer.from((META + text("x") + DONE).replaceAll("\n", lineEnd))) {
        reader.push(Uint8Array.of(byte));
      }
      reader.end();
      expect(reader.violations).toEqual([]);
      expect(reader.frames).toHaveLength(3);
    }
  });

  it("push hands over what it completed, once", () => {
    const reader = createPoeReader();
    expect(reader.push(Buffer.from(META.slice(0, 20)))).toEqual([]);
    expect(reader.push(Buffer.from(META.slice(20)))).toHaveLength(1);
    expect(reader.push(Buffer.from(text("a") + text("b")))).toHaveLength(2);
  });
});

describe("laws", () => {
  it("reads back what the encoder writes, as a standard SSE parser does", () => {
    const texts = fc.array(fc.tuple(fc.boolean(), fc.string({ unit: "binary", minLength: 1 })));
    fc.assert(
      fc.property(texts, (parts) => {
        const events: PoeEvent[] = [
          { event: "replace_response", data: { text: "" } },
          ...parts.map(
            ([replaces, text]): PoeEvent => ({
              event: replaces ? "replace_response" : "text",
              data: { text },
            }),
          ),
        ];
        let stream = encodePoeEvent("start", PREAMBLE).frame + META;
        for (const each of events) {
          if (each.event === "text" || each.event === "replace_response") {
            stream += encodePoeEvent("answered", each).frame;
          }
        }
        stream += DONE;
        const reader = read(stream);
        const standard: unknown[] = [];
        createParser({
          onEvent: ({ event, data }) => standard.push({ event, data: JSON.parse(data) }),
        }).feed(stream);
        expect(reader.violations).toEqual([]);
        expect(reader.frames.slice(1)).toEqual(standard);
        expect(reader.frames.slice(2, -1)).toEqual(events);
      }),
    );
  });

  it("never throws, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        const reader = createPoeReader();
        for (const chunk of chunks) reader.push(chunk);
        reader.end();
        expect(reader.violations.at(-1)?.code).toBe("done-missing");
      }),
    );
  });
});
