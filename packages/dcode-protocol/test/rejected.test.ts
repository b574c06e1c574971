import { expect, test } from "vitest";
import { labelOf } from "../src/fields.ts";
import { eventPayloadSchemas } from "../src/index.ts";
import { schemas } from "./schemas.ts";
import { jsonOf, textOf, vectors } from "./vectors.ts";

test("every schema has a vector that it refuses", () => {
  const refusing = new Set(["Event"]);
  for (const [type, { rejected }] of Object.entries(vectors.types)) {
    if (rejected.length > 0) refusing.add(type);
  }
  for (const [type, schema] of Object.entries(eventPayloadSchemas)) {
    const refuses = vectors.rejected_events.some((entry) => {
      const event = jsonOf(textOf(entry)) as
        | { type?: unknown; payload?: unknown }
        | null
        | undefined;
      return event?.type === type && !schema.safeParse(event.payload).success;
    });
    if (refuses) refusing.add(labelOf(schema));
  }
  expect([...schemas.keys()].filter((type) => !refusing.has(type))).toEqual([]);
});
