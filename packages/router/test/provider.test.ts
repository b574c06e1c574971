import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS, parseOptions, providerOf, providerParameters } from "../src/index.ts";

test.each([
  ["a/1", "a"],
  ["openrouter/anthropic/claude-x", "openrouter"],
  ["local", "other"],
  ["/odd", "other"],
  ["", "other"],
])("the provider of %j is %j", (model, provider) => {
  expect(providerOf(model)).toBe(provider);
});

test("providers keep the order of the list and the first one its plain name", () => {
  expect([...providerParameters(["a.b/1", "s/7", "a-b/1", "a_b_2/1", "A B/1", "a.b/2"])]).toEqual([
    ["a.b", "model_a_b"],
    ["s", "model_s"],
    ["a-b", "model_a_b_3"],
    ["a_b_2", "model_a_b_2"],
    ["A B", "model_a_b_4"],
  ]);
});

// Few letters, so that names collide often, also with each other's suffixes.
const provider = fc.string({ unit: fc.constantFrom("a", "A", "-", ".", "_", "2"), maxLength: 4 });
const models = fc.array(
  fc.tuple(provider, fc.constantFrom("1", "2")).map(([name, model]) => `${name}/${model}`),
  { maxLength: 12 },
);

test("every listed provider has a parameter that no other has, made of letters that a name can hold", () => {
  fc.assert(
    fc.property(models, (list) => {
      const names = providerParameters(list);
      expect(new Set(names.keys())).toEqual(new Set(list.map(providerOf)));
      expect(new Set(names.values()).size).toBe(names.size);
      for (const name of names.values()) expect(name).toMatch(/^model_[a-z0-9_]+$/);
    }),
  );
});

test("what a person picks from a provider's list is the model that is used", () => {
  fc.assert(
    fc.property(models, fc.nat(), (list, at) => {
      const model = list[at % list.length];
      if (model === undefined) return;
      const provider = providerOf(model);
      const parameter = providerParameters(list).get(provider) ?? "";
      const params = { provider, [parameter]: model };
      expect(parseOptions(params, DEFAULT_OPTIONS, list).model).toBe(model);
    }),
  );
});

test("a provider that is chosen alone brings the first model of its list, in the order in which people see it", () => {
  fc.assert(
    fc.property(models, fc.nat(), (list, at) => {
      const provider = providerOf(list[at % list.length] ?? "");
      const first = list.find((model) => providerOf(model) === provider) ?? "";
      expect(parseOptions({ provider }, DEFAULT_OPTIONS, list).model).toBe(first);
    }),
  );
});

test("three thousand providers of one plain name each get a name of their own", () => {
  const list = Array.from(
    { length: 3000 },
    (_, index) => `${String.fromCodePoint(0x4e00 + index)}/1`,
  );
  const names = [...providerParameters(list).values()];
  expect(names[0]).toBe("model____");
  expect(names[2999]).toBe("model_____3000");
});
