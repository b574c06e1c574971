import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { divideLongText, MAX_SHOWN_UNITS } from "../../src/delivery/long-text.ts";
import type { SlackRenderer } from "../../src/index.ts";
import { SurfaceRig } from "../surface-rig.ts";
import { plainRenderer } from "./plain-renderer.ts";

const COMPLETE = "files.completeUploadExternal";
const REST = "rest-of-the-answer.md";
const line = (at: number) => `Sentence ${at} of an answer that goes on and on.`;
const lines = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => line(first + at)).join("\n\n");
const fence = `\`\`\`ts\n${Array.from({ length: 900 }, (_, at) => `line(${at});`).join("\n")}\n\`\`\``;

describe("a long text is divided", () => {
  test("nowhere when it is not that long", () => {
    const text = "x".repeat(MAX_SHOWN_UNITS);
    expect(divideLongText(text)).toEqual({ shown: text });
  });

  test("behind a line, with a fence closed and opened again", () => {
    const before = lines(680);
    const text = `${before}\n\n${fence}\n\nThe end.`;
    const { shown, rest } = divideLongText(text);
    expect(shown).toMatch(/line\(\d+\);\n$/);
    expect(rest?.closing).toBe("```");
    expect(rest?.markdown).toMatch(/^```ts\nline\(\d+\);\n/);
    expect(rest?.markdown.endsWith("```\n\nThe end.")).toBe(true);
    expect(shown + rest?.markdown.replace(/^```ts\n/, "")).toBe(text);
    expect(rest?.units).toBe(text.length - shown.length);
  });

  test("so that what is shown only grows while the text does", () => {
    const word = fc.constantFrom(
      "a",
      "\n",
      "🏛️",
      "```",
      "|a|b|\n|-|-|\n",
      "x".repeat(700),
      lines(40),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 5, maxLength: 60 }), (words) => {
        let text = lines(690);
        let before = "";
        for (const next of words) {
          text += next;
          const { shown, rest } = divideLongText(text);
          expect(shown.startsWith(before)).toBe(true);
          expect(shown.length + (rest?.units ?? 0)).toBe(text.length);
          expect(text.startsWith(shown)).toBe(true);
          before = shown;
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("how a turn has ended stands behind what names the file, not in it", async () => {
  const close = { kind: "text", markdown: "\n\n⏹ over" } as const;
  const render: SlackRenderer["render"] = (...given) => ({
    ...plainRenderer.render(...given),
    close,
  });
  const renderer = { ...plainRenderer, render };
  const rig = await SurfaceRig.start({ features: ["files-out"], renderer });
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> go");
  const prompt = await rig.prompted(1);
  prompt.say(lines(1_000));
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).join("").includes(REST));
  const shown = rig.bodies("C0SHOP", thread).join("");
  expect(shown).toMatch(/is in the file rest-of-the-answer\.md\._\n+⏹ over$/);
  const files = rig.slack.messages("C0SHOP").flatMap((each) => each.files);
  expect(files.map(({ bytes }) => Buffer.from(bytes).toString().includes("⏹"))).toEqual([false]);
});

test("C19 into a channel that people of other workspaces read it goes as messages alone", async () => {
  const rig = await SurfaceRig.start({ features: ["files-out"] });
  await rig.open();
  const thread = rig.ana.say("C0SHARED", "<@U0BOT> go");
  const prompt = await rig.prompted(1);
  prompt.say(lines(1_000));
  prompt.end();
  await rig.until(() => rig.bodies("C0SHARED", thread).join("").includes(line(999)));
  expect(rig.calls("files.getUploadURLExternal")).toBe(0);
});

describe.each([
  ["a channel", "C0SHOP", "<@U0BOT> go"],
  ["a direct conversation", "D0ANA", "go"],
])("an answer of 80,000 characters in %s", (_where, channel, ask) => {
  const answer = lines(1_600);

  /** All that is to be read of it, and the files. */
  const read = (rig: SurfaceRig, thread: string) => {
    const messages = rig.slack.messages(channel).filter((each) => each.isFromApp);
    const files = messages.flatMap((each) => each.files);
    const text = rig.bodies(channel, thread).join("");
    return { text, files: files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]) };
  };
  const sentences = (text: string) => text.match(/Sentence \d+ of/g) ?? [];
  const all = sentences(answer);

  test("is a few messages and a file with the rest, which the text names at its end", async () => {
    const rig = await SurfaceRig.start({ features: ["files-out"], slack: { fileShareMs: 2_000 } });
    await rig.open();
    const thread = rig.ana.say(channel, ask);
    const prompt = await rig.prompted(1);
    for (let at = 0; at < answer.length; at += 8_000) {
      prompt.say(answer.slice(at, at + 8_000));
      await rig.move(500);
    }
    expect(rig.calls(COMPLETE)).toBe(0);
    prompt.end();
    await rig.until(() => rig.bodies(channel, thread).join().includes(REST));
    const { text, files } = read(rig, thread);
    expect(files).toEqual([[REST, expect.any(String)]]);
    expect([...sentences(text), ...sentences(files[0]?.[1] ?? "")]).toEqual(all);
    expect(text).toMatch(
      /_The rest, [\d,]+ characters, is in the file rest-of-the-answer\.md\._\s*$/,
    );
    expect(sentences(text).join().length).toBeLessThan(36_000);
  });

  test("is there once when its process ends while Slack takes the file", async () => {
    const rig = await SurfaceRig.start({ features: ["files-out"], slack: { fileShareMs: 20_000 } });
    const first = await rig.open();
    const thread = rig.ana.say(channel, ask);
    const prompt = await rig.prompted(1);
    prompt.say(answer);
    prompt.end();
    await rig.until(() => rig.calls(COMPLETE) === 1);
    await first.end();
    await rig.open();
    await rig.until(() => rig.bodies(channel, thread).join().includes(REST));
    const { text, files } = read(rig, thread);
    expect(files).toHaveLength(1);
    expect([...sentences(text), ...sentences(files[0]?.[1] ?? "")]).toEqual(all);
  });

  test.each([
    ["where Slack refuses the file", ["files-out" as const]],
    ["where the bot sends none", []],
  ])("is messages alone %s", async (_what, features) => {
    const rig = await SurfaceRig.start({ features });
    await rig.open();
    rig.slack.fail("files.getUploadURLExternal", { kind: "error", error: "file_uploads_disabled" });
    const thread = rig.ana.say(channel, ask);
    const prompt = await rig.prompted(1);
    prompt.say(answer);
    prompt.end();
    const last = all.at(-1) ?? "";
    await rig.until(() => rig.bodies(channel, thread).join("").includes(last));
    expect(sentences(read(rig, thread).text)).toEqual(all);
    expect(read(rig, thread).files).toEqual([]);
  });
});
