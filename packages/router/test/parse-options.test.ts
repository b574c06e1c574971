import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_OPTIONS, type Options, parseOptions } from "../src/index.ts";

type Case = {
  readonly id: string;
  readonly input: {
    readonly params: unknown;
    readonly defaults?: Options;
    readonly models?: readonly string[];
  };
  readonly expect: Options;
};

const vectors = JSON.parse(
  readFileSync(new URL("vectors/router-options.json", import.meta.url), "utf8"),
) as {
  readonly standard: { readonly defaults: Options; readonly models: readonly string[] };
  readonly cases: readonly Case[];
};

function isAbsent(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "$undefined");
}

describe("parseOptions gives what every implementation must give", () => {
  test("the table has all 148 cases", () => {
    expect(vectors.cases).toHaveLength(148);
  });

  test.each(vectors.cases)(
    "parameters choose what the table says: $id",
    ({ input, expect: expected }) => {
      const params = isAbsent(input.params) ? undefined : input.params;
      const defaults = input.defaults ?? vectors.standard.defaults;
      const before = structuredClone(defaults);
      expect(parseOptions(params, defaults, input.models ?? vectors.standard.models)).toEqual(
        expected,
      );
      expect(defaults).toEqual(before);
    },
  );
});

test.each<{ title: string; params: unknown; models: string[]; model: string }>([
  {
    title: "an unlisted provider does not read another provider's list",
    params: { provider: "a-b", model_a_b: "a.b/1" },
    models: ["a.b/1"],
    model: "",
  },
  {
    title: "without a default model no provider is shown, so no list counts",
    params: { model_other: "local" },
    models: ["local"],
    model: "",
  },
  {
    title: "what is inherited lends nothing",
    params: Object.create({ model: "s/7" }),
    models: ["s/7"],
    model: "",
  },
])("$title", ({ params, models, model }) => {
  expect(parseOptions(params, DEFAULT_OPTIONS, models).model).toBe(model);
});

test("whatever the parameters hold, the result has the defaults' shape and only values of their sets", () => {
  const key = fc.constantFrom("model", "provider", "model_a", "thinking", "hide_thinking", "x");
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.dictionary(key, fc.anything())), (params) => {
      const options = parseOptions(params, DEFAULT_OPTIONS, ["a/1"]);
      expect(Object.keys(options).sort()).toEqual(Object.keys(DEFAULT_OPTIONS).sort());
      for (const [name, value] of Object.entries(options)) {
        expect(typeof value).toBe(typeof DEFAULT_OPTIONS[name as keyof Options]);
      }
      expect(["", "off", "minimal", "low", "medium", "high", "xhigh", "max"]).toContain(
        options.thinking,
      );
    }),
  );
});

test.each([
  [{ hide_thinking: true }, true],
  [{ show_thinking: true }, false],
  [{ show_thinking: false }, true],
  [{ hide_thinking: true, show_thinking: true }, false],
  [{ hide_thinking: true, show_thinking: "yes" }, true],
])("a parameter under its older name counts, and the newer name wins: %j", (params, hidden) => {
  expect(parseOptions(params, DEFAULT_OPTIONS).hideThinking).toBe(hidden);
});
