import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSlackText } from "../../src/intake/decode-text.ts";
import vectors from "../vectors/decode-text.json" with { type: "json" };

test.each(vectors.cases)("$id is read as it was meant", ({ wire, text }) => {
  const user = (id: string) => (id === "U0ANA" ? "ana" : undefined);
  expect(decodeSlackText(wire, { user })).toBe(text);
});

test("text without tokens comes back as it was written, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const wire = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      expect(decodeSlackText(wire)).toBe(text);
    }),
  );
});
