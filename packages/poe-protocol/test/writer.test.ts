import { describe, expect, it } from "vitest";
import { createPoeWriter, KEEP_ALIVE, type PoeAnswer, PREAMBLE } from "../src/index.ts";

function record() {
  const frames: string[] = [];
  return { frames, opening: createPoeWriter((frame) => frames.push(frame)) };
}

const META = 'event: meta\ndata: {"content_type":"text/markdown","suggested_replies":false}\n\n';
const DONE = "event: done\ndata: {}\n\n";

describe("createPoeWriter", () => {
  it("writes one frame per call, in order", () => {
    const { frames, opening } = record();
    const answer = opening.send(PREAMBLE).meta();
    answer.replaceResponse("> _Thinking…_");
    answer.send(KEEP_ALIVE);
    answer.replaceResponse("");
    answer.text("Hello");
    answer.send({ event: "data", data: { metadata: "m" } });
    answer.done();
    expect(frames).toEqual([
      `: ${PREAMBLE.comment}\n\n`,
      META,
      'event: replace_response\ndata: {"text":"> _Thinking…_"}\n\n',
      ": ka\n\n",
      'event: replace_response\ndata: {"text":""}\n\n',
      'event: text\ndata: {"text":"Hello"}\n\n',
      'event: data\ndata: {"metadata":"m"}\n\n',
      DONE,
    ]);
  });

  it("an empty text writes nothing at all", () => {
    const { frames, opening } = record();
    opening.meta().text("");
    expect(frames).toEqual([META]);
  });

  it("error and done leave in one write", () => {
    const { frames, opening } = record();
    const answer = opening.meta({ content_type: "text/plain", suggested_replies: false });
    answer.fail({ allow_retry: false, text: "no" });
    expect(frames[1]).toBe(`event: error\ndata: {"allow_retry":false,"text":"no"}\n\n${DONE}`);
    expect(answer.state).toBe("done");
  });

  it.each<[string, (answer: PoeAnswer) => void]>([
    ["text", (answer) => answer.text("x")],
    ["empty text", (answer) => answer.text("")],
    ["replaceResponse", (answer) => answer.replaceResponse("x")],
    ["a comment", (answer) => answer.send(KEEP_ALIVE)],
    ["fail", (answer) => answer.fail({ allow_retry: true, text: "x" })],
    ["done", (answer) => answer.done()],
  ])("%s after the end is refused and writes nothing", (_, call) => {
    const { frames, opening } = record();
    const answer = opening.meta();
    answer.text("x");
    answer.done();
    const written = frames.length;
    expect(() => call(answer)).toThrow(expect.objectContaining({ code: "after-done" }));
    expect(frames).toHaveLength(written);
  });

  it("a second meta through the first object is refused", () => {
    const { opening } = record();
    opening.meta();
    expect(() => opening.meta()).toThrow(expect.objectContaining({ code: "meta-once" }));
  });

  it("an answer with nothing to show can still fail, but not be done", () => {
    const { opening } = record();
    const answer = opening.meta();
    expect(() => answer.done()).toThrow(expect.objectContaining({ code: "no-output" }));
    answer.fail({ allow_retry: true, text: "nothing came" });
    expect(answer.state).toBe("done");
  });

  it("a fail with bad data writes nothing and leaves the answer open", () => {
    const { frames, opening } = record();
    const answer = opening.meta();
    const wrong = { text: "x" } as unknown as { allow_retry: boolean; text: string };
    expect(() => answer.fail(wrong)).toThrow(expect.objectContaining({ code: "bad-data" }));
    expect(frames).toEqual([META]);
    expect(answer.state).toBe("open");
  });

  it("counts what it has written", () => {
    const { opening } = record();
    const answer = opening.meta();
    answer.text("h😀");
    answer.text("");
    answer.replaceResponse("four");
    answer.done();
    expect(answer.budget).toEqual({ events: 4, textCharacters: 2, allCharacters: 6 });
  });
});
