import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Control,
  type ControlSection,
  createParameterControls,
  createSettings,
  type ParameterControls,
  PoeProtocolError,
} from "../src/index.ts";
import { arbitrarySections } from "./arbitrary-controls.ts";
import { readVectors } from "./vectors.ts";

type Vector = { id: string; expect: { parameter_controls: ParameterControls } };
const vectors = readVectors<{ cases: Vector[] }>("poe-params.json");

const schema = new URL("./fixtures/fastapi-poe-settings.schema.json", import.meta.url);
const isTakenByPoe = new Ajv2020().compile(JSON.parse(readFileSync(schema, "utf8")));

const field: Control = { control: "text_field", label: "Style", parameter_name: "style" };
const within = (...controls: unknown[]): readonly ControlSection[] => [
  { controls } as unknown as ControlSection,
];

/** Parameters with the default that the panel shows, in order, conditions included. */
function parametersOf(controls: ParameterControls) {
  const flat = (control: Control): readonly Control[] =>
    control.control === "condition" ? control.controls.flatMap(flat) : [control];
  return controls.sections
    .flatMap((section) => section.controls ?? section.tabs.flatMap((tab) => tab.controls))
    .flatMap(flat)
    .filter((control) => "parameter_name" in control);
}

function expectLaws(controls: ParameterControls): void {
  const defaults = new Map<string, unknown>();
  for (const control of parametersOf(controls)) {
    const { parameter_name: name, default_value: preset } = control;
    expect(name).toMatch(/^[A-Za-z0-9_]+$/);
    expect(name.startsWith("poe_")).toBe(false);
    if (defaults.has(name)) expect(preset).toBe(defaults.get(name));
    defaults.set(name, preset);
    if (control.control === "drop_down" && preset !== undefined) {
      expect(control.options.map(({ value }) => value)).toContain(preset);
    }
  }
}

describe("golden vectors", () => {
  it.each(vectors.cases)(
    "the panel of $id passes unchanged",
    ({ expect: { parameter_controls } }) => {
      const controls = createParameterControls(parameter_controls.sections);
      expect(controls).toEqual(parameter_controls);
      expect(createSettings({ parameter_controls: controls }).parameter_controls).toEqual(controls);
      expect(isTakenByPoe({ parameter_controls: controls })).toBe(true);
      const names = parametersOf(controls).map((control) => control.parameter_name);
      expect(new Set(names).size, "a panel of the vectors shares no name").toBe(names.length);
      expectLaws(controls);
    },
  );
});

describe("what Poe would drop in silence", () => {
  it.each<[string, readonly unknown[], RegExp]>([
    ["no section", [], /sections is no list with a member/],
    ["a section with nothing", [{}], /\[0\]\.controls is missing/],
    [
      "a section with both",
      [{ controls: [field], tabs: [] }],
      /controls is nothing that Poe knows/,
    ],
    ["no controls", [{ controls: [] }], /controls is no list with a member/],
    ["no tabs", [{ tabs: [] }], /tabs is no list with a member/],
    ["a tab without a name", [{ tabs: [{ controls: [field] }] }], /tabs\[0\]\.name is missing/],
    ["a tab without controls", [{ tabs: [{ name: "x", controls: [] }] }], /is no list with a/],
    ["an unknown key of a section", [{ controls: [field], title: "x" }], /\.title is nothing/],
    ["a null name", [{ controls: [field], name: null }], /\.name is no text/],
  ])("%s is refused", (_, sections, reason) => {
    expectRefused(sections as readonly ControlSection[], reason);
  });

  it.each<[string, unknown, RegExp]>([
    ["no object", "divider", /control|object/],
    ["an unknown control", { control: "file_picker" }, /\.control is none of divider, text_field/],
    ["an inherited name", { control: "constructor" }, /\.control is none of/],
    [
      "a divider with a label",
      { control: "divider", label: "x" },
      /label is nothing that Poe knows/,
    ],
    ["no label", { control: "text_field", parameter_name: "x" }, /label is missing/],
    ["no parameter", { control: "text_field", label: "x" }, /parameter_name is missing/],
    ["a hyphen in a name", { ...field, parameter_name: "a-b" }, /letters, digits and _ alone/],
    ["an empty name", { ...field, parameter_name: "" }, /letters, digits and _ alone/],
    ["a letter beyond ASCII", { ...field, parameter_name: "größe" }, /letters, digits and _ alone/],
    ["a line end in a name", { ...field, parameter_name: "a\n" }, /letters, digits and _ alone/],
    ["a name of Poe's own", { ...field, parameter_name: "poe_x" }, /begins with poe_/],
    ["an unknown key", { ...field, value: "x" }, /value is nothing that Poe knows/],
    ["a default of another type", { ...field, default_value: 1 }, /default_value is no text/],
    ["half a character", { ...field, label: "\ud83d" }, /label ends inside a character/],
    [
      "a switch with a text",
      { ...field, control: "toggle_switch", default_value: "true" },
      /neither true nor false/,
    ],
    ["no options", { ...field, control: "drop_down" }, /options is missing/],
    ["empty options", { ...field, control: "drop_down", options: [] }, /no list with a member/],
    [
      "an option without a name",
      { ...field, control: "drop_down", options: [{ value: "a" }] },
      /options\[0\]\.name is missing/,
    ],
    [
      "a default that is no option",
      { ...field, control: "drop_down", options: [{ value: "a", name: "A" }], default_value: "b" },
      /the default "b" is none of the options/,
    ],
    [
      "a ratio that is no option",
      {
        ...field,
        control: "aspect_ratio",
        options: [{ width: 16, height: 9, value: "wide" }],
        default_value: "16:9",
      },
      /the default "16:9" is none of the options/,
    ],
    [
      "a slider without an end",
      { ...field, control: "slider", min_value: 0, max_value: Number.POSITIVE_INFINITY, step: 1 },
      /max_value is no number/,
    ],
    [
      "a slider that cannot move",
      { ...field, control: "slider", min_value: 1, max_value: 1, step: 1 },
      /no room to move/,
    ],
    [
      "a slider without steps",
      { ...field, control: "slider", min_value: 0, max_value: 1, step: 0 },
      /no room to move/,
    ],
    [
      "a slider that begins outside",
      { ...field, control: "slider", min_value: 0, max_value: 1, step: 0.1, default_value: 2 },
      /outside 0 to 1/,
    ],
    ["a condition in a condition", when({}, when({}, field)), /control is none of divider/],
    ["a condition of nothing", when({}), /no list with a member/],
    [
      "a comparator of other docs",
      when({ comparator: "equals" }, field),
      /comparator is none of eq/,
    ],
    [
      "an operand of both kinds",
      when({ left: { literal: 1, parameter_name: "style" } }, field),
      /nothing that Poe knows/,
    ],
    ["an operand of null", when({ right: { literal: null } }, field), /literal is no text/],
    [
      "a condition on what nothing sets",
      when({ left: { parameter_name: "sytle" } }, field),
      /a condition looks at "sytle", which no control sets/,
    ],
  ])("%s is refused", (_, control, reason) => {
    expectRefused(within(control), reason);
  });

  it("one name with two defaults is refused, wherever the two stand", () => {
    const [first, second] = [
      { ...field, default_value: "a" },
      { ...field, default_value: "b" },
    ];
    expectRefused([...within(first), ...within(second)], /"style", with different defaults/);
    expectRefused(within(first, when({}, second)), /"style", with different defaults/);
    expectRefused(within(first, field), /"style", with different defaults/);
    expect(createParameterControls(within(first, when({}, first)))).toBeDefined();
  });

  it("what is checked is what is written", () => {
    const controls: Control[] = [field];
    const made = createParameterControls([{ controls }]);
    controls.push({ control: "slider" } as unknown as Control);
    expect(made.sections[0]?.controls).toEqual([field]);
    const circle: unknown[] = [];
    circle.push(circle);
    expectRefused(circle as unknown as readonly ControlSection[], /cannot be written as JSON/);
  });
});

describe("laws", () => {
  it("what keeps the rules passes unchanged, and Poe's own schema takes it", () => {
    fc.assert(
      fc.property(arbitrarySections, (sections) => {
        const controls = createParameterControls(sections);
        expect(controls.sections).toEqual(sections);
        expect(isTakenByPoe(createSettings({ parameter_controls: controls }))).toBe(true);
        expectLaws(controls);
      }),
    );
  });

  it("whatever is given, what comes out is taken by Poe's own schema and keeps the laws", () => {
    let refused = 0;
    let passed = 0;
    fc.assert(
      fc.property(damaged(arbitrarySections), (sections) => {
        try {
          const controls = createParameterControls(sections);
          passed += 1;
          expect(isTakenByPoe(createSettings({ parameter_controls: controls }))).toBe(true);
          expectLaws(controls);
        } catch (error) {
          if (!(error instanceof PoeProtocolError)) throw error;
          expect(error.code).toBe("bad-settings");
          refused += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(refused, passed), "both were seen").toBeGreaterThan(10);
  });
});

function when(condition: object, ...controls: unknown[]) {
  return {
    control: "condition",
    condition: {
      comparator: "eq",
      left: { parameter_name: "style" },
      right: { literal: "x" },
      ...condition,
    },
    controls,
  };
}

function expectRefused(sections: readonly ControlSection[], reason: RegExp): void {
  const refusal = expect.objectContaining({
    code: "bad-settings",
    message: expect.stringMatching(reason),
  });
  expect(() => createParameterControls(sections)).toThrow(refusal);
}

/** One value somewhere in it replaced, or one key added. */
function damaged(arbitrary: typeof arbitrarySections): typeof arbitrarySections {
  return fc
    .tuple(arbitrary, fc.nat(), fc.jsonValue({ maxDepth: 1 }), fc.boolean())
    .map(([sections, at, value, adds]) => {
      const copy = structuredClone(sections) as unknown;
      const places: [Record<string, unknown>, string][] = [];
      const walk = (node: unknown): void => {
        if (typeof node !== "object" || node === null) return;
        for (const [key, member] of Object.entries(node)) {
          places.push([node as Record<string, unknown>, key]);
          walk(member);
        }
      };
      walk(copy);
      const place = places[at % places.length];
      if (place) place[0][adds ? `${place[1]}_` : place[1]] = value;
      return copy as readonly ControlSection[];
    });
}
