import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ruleOf } from "../src/fields.ts";
import * as protocol from "../src/index.ts";
import { schemas } from "./schemas.ts";
import { seedNames } from "./seed-names.ts";

const seed = JSON.parse(
  readFileSync(new URL("fixtures/seed-names.json", import.meta.url), "utf8"),
) as {
  constants: Record<string, string>;
  functions: string[];
  types: Record<string, string[]>;
  methods: string[];
};
const index = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");

test("every exported name of the Go package has its row, and there is no other row", () => {
  const names = [
    ...Object.keys(seed.constants),
    ...seed.functions,
    ...Object.keys(seed.types),
    ...seed.methods,
  ];
  expect(Object.keys(seedNames).sort()).toEqual(names.sort());
});

test("every row names a real export or gives a reason", () => {
  for (const [name, row] of Object.entries(seedNames)) {
    if ("leftOut" in row) expect(row.leftOut, name).not.toBe("");
    else expect(index, name).toMatch(new RegExp(`\\b${row.ours}\\b[,\\s]`));
  }
});

test.each(Object.entries(seed.constants))(
  "constant %s has the value of the seed",
  (name, value) => {
    const row = seedNames[name];
    if (!row || "leftOut" in row) throw new Error(`no export for ${name}`);
    const exported = (protocol as unknown as Record<string, unknown>)[row.ours];
    expect(row.member ? (exported as Record<string, string>)[row.member] : exported).toBe(value);
  },
);

/** Keys that come from daemons after the release of the seed. */
const newerKeys: Record<string, string[]> = {
  Session: ["family?", "transport?", "base_url?", "branch?"],
};

describe("every type has the seed's keys, in order, with its presence", () => {
  const structs = Object.entries(seed.types).filter(([, keys]) => keys.length > 0);
  test.each(structs)("%s", (type, keys) => {
    const schema = schemas.get(type);
    if (!(schema instanceof z.ZodObject)) throw new Error(`${type} has no schema`);
    const ours = Object.entries(schema.shape).map(([key, field]) => {
      const rule = ruleOf(field as z.ZodType);
      return `${key}${rule.omitEmpty ? "?" : ""}${rule.label === "time" ? " time" : ""}`;
    });
    // The encoder never takes a time for empty, so `omitempty` on one means nothing.
    const theirs = keys.map((key) => key.replace("? time", " time"));
    expect(ours).toEqual([...theirs, ...(newerKeys[type] ?? [])]);
  });
});
