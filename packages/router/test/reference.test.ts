import { expect, test } from "vitest";
import { createReference } from "../src/reference.ts";

test("a reference has four letters that are read as nothing else, and comes twice only by chance", () => {
  const references = Array.from({ length: 200 }, createReference);
  for (const reference of references) expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(new Set(references).size).toBeGreaterThan(195);
});
