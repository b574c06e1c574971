import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleOf, renderCatalogue } from "../catalogue/render.ts";
import { EventType, formatEvent, isKnownEvent, parseEvent } from "../src/index.ts";

test("EVENTS.md is what the schemas and the catalogue say", () => {
  const written = readFileSync(new URL("../EVENTS.md", import.meta.url), "utf8");
  expect(written, "run `pnpm --filter @acp-kit/dcode-protocol catalogue`").toBe(renderCatalogue());
});

test.each(Object.values(EventType))(
  "the example of %s is an event that is read and written back",
  (type) => {
    const example = exampleOf(type, 1);
    const text = formatEvent(example);
    const event = parseEvent(text);
    expect(isKnownEvent(event)).toBe(true);
    expect(event).toEqual(example);
    expect(formatEvent(event)).toBe(text);
  },
);
