import { readFileSync } from "node:fs";
import type { Control, ParameterControls } from "@acp-kit/poe-protocol";
import { type Options, parseOptions, providerOf } from "@acp-kit/router";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOptionsPanel, type OptionsPanel, type PanelInput } from "../src/options-panel.ts";

type Vector = {
  id: string;
  input: {
    models: PanelInput["models"];
    current_model: string;
    pinned_models: string[];
    config: Record<string, string | boolean | null>;
  };
  expect: { defaults: Options; parameter_controls: ParameterControls };
};

const file = new URL("./vectors/poe-params.json", import.meta.url);
const { cases }: { cases: Vector[] } = JSON.parse(readFileSync(file, "utf8"));

/** The configuration's own names; null there is absent here. */
const NAMES = {
  model: "model",
  thinking: "thinking",
  hide_thinking: "hideThinking",
  show_plans: "showPlans",
  show_tools: "showTools",
  show_tool_details: "showToolDetails",
} as const;

function readInput({ models, current_model, pinned_models, config }: Vector["input"]): PanelInput {
  const options = Object.entries(config)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [NAMES[name as keyof typeof NAMES], value]);
  return {
    models,
    currentModel: current_model,
    pinnedModels: pinned_models,
    config: Object.fromEntries(options),
  };
}

describe("golden vectors", () => {
  it.each(cases)("$id", ({ input, expect: { defaults, parameter_controls } }) => {
    const panel = createOptionsPanel(readInput(input));
    expect(panel.defaults).toStrictEqual(defaults);
    expect(panel.controls).toStrictEqual(parameter_controls);
    expectLaws(panel);
  });
});

describe("laws", () => {
  // Few letters, so that names collide often.
  const provider = fc.string({ unit: fc.constantFrom("a", "A", "-", ".", "_", "2"), maxLength: 3 });
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(provider, fc.constantFrom("1", "2")).map((p) => p.join("/")) },
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const input = fc.record({
    models: fc.array(fc.record({ id, name: fc.string({ unit: "binary", maxLength: 4 }) }), {
      maxLength: 10,
    }),
    currentModel: id,
    pinnedModels: fc.array(id, { maxLength: 4 }),
    config: fc.record(
      { model: id, thinking: fc.string(), showPlans: fc.boolean() },
      { requiredKeys: [] },
    ),
  });

  it("hold for any list of models, pins and configuration", () => {
    fc.assert(
      fc.property(input, (given) => {
        const halves = given.models.map((model) => ({ ...model, id: `${model.id}\ud83d` }));
        const panel = createOptionsPanel({ ...given, models: [...given.models, ...halves] });
        expectLaws(panel);
        expect(new Set(panel.models)).toEqual(
          new Set(given.models.map((model) => model.id).filter((id) => id !== "")),
        );
      }),
    );
  });
});

function expectLaws({ controls, defaults, models }: OptionsPanel): void {
  const flat = (control: Control): readonly Control[] =>
    control.control === "condition" ? control.controls : [control];
  const parameters = controls.sections
    .flatMap((section) => section.controls ?? [])
    .flatMap(flat)
    .filter((control) => "parameter_name" in control);
  const names = parameters.map((control) => control.parameter_name);
  for (const name of names) expect(name).toMatch(/^(?!poe_)[A-Za-z0-9_]+$/);
  expect(new Set(names).size).toBe(names.length);
  const listOf = new Map<string, string>();
  for (const control of parameters) {
    if (control.control !== "drop_down") continue;
    const values = control.options.map(({ value }) => value);
    if (control.default_value !== undefined) expect(values).toContain(control.default_value);
    if (control.label === "Model") for (const id of values) listOf.set(id, control.parameter_name);
  }
  expect([...listOf.keys()].sort(), "every model is in one list").toEqual([...models].sort());
  for (const [id, parameter] of listOf) {
    const chosen = parseOptions({ provider: providerOf(id), [parameter]: id }, defaults, models);
    expect(chosen.model).toBe(id);
  }
  expect(parseOptions({}, defaults, models)).toEqual(defaults);
}
