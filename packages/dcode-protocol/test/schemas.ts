import type { z } from "zod";
import { labelOf } from "../src/fields.ts";
import * as protocol from "../src/index.ts";

/** Every exported schema, under the name of its type in the protocol. */
export const schemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(protocol)
    .filter(([name]) => name.endsWith("Schema"))
    .map(([, schema]) => [labelOf(schema as z.ZodType), schema as z.ZodType]),
);
