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
