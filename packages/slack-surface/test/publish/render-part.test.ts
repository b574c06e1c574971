import { expect, test } from "vitest";
import { defuse } from "../../src/publish/defuse.ts";
import { MARKDOWN_FORM, PLAIN_FORM } from "../../src/publish/publication.ts";
import { renderPart } from "../../src/publish/render-part.ts";

test("what stands below a message is plain text, in which stars and brackets stay what they are", () => {
  const { blocks } = renderPart("", "ls *_test.ts <a & b> *.md…", MARKDOWN_FORM);
  const elements = [{ type: "plain_text", text: "ls *_test.ts <a & b> *.md…", emoji: false }];
  expect(blocks).toEqual([{ type: "context", elements }]);
});

test.each([MARKDOWN_FORM, PLAIN_FORM])("nobody is mentioned, in whatever form: $kind", (form) => {
  for (const token of ["<!channel>", "<@U0ANA>", "`<!here>`"]) {
    const { text, blocks } = renderPart(token, token, form, { mrkdwn: (body) => [body] });
    expect(defuse(text)).toBe(text);
    expect(JSON.stringify(blocks)).toBe(defuse(JSON.stringify(blocks)));
  }
});

test("a notification shows what a quote and a heading say, without their marks", () => {
  const { text } = renderPart("> _Thinking…_\n> > # twice\n\n## Done\n#1 stays", "", MARKDOWN_FORM);
  expect(text).toBe("_Thinking…_ twice Done #1 stays");
});
