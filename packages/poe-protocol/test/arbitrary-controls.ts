import fc from "fast-check";
import type {
  ConditionalControls,
  Control,
  ControlSection,
  ControlTab,
  ParameterControl,
  PlainControl,
} from "../src/index.ts";

const text = fc.string({ unit: "grapheme" });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Each kind has names of its own, and a name has one default: what two controls share agrees. */
const NAMES = ["a", "B_2", "x9", "poex", "_"] as const;

const named = <Kind extends ParameterControl["control"]>(control: Kind) =>
  fc
    .record(
      { label: text, description: text, name: fc.constantFrom(...NAMES) },
      { requiredKeys: ["label", "name"] },
    )
    .map(({ name, ...rest }) => ({ control, ...rest, parameter_name: `${control}_${name}` }));

const typed = <Kind extends "text_field" | "text_area">(control: Kind) =>
  fc
    .tuple(named(control), fc.record({ placeholder: text }, { requiredKeys: [] }))
    .map(([base, more]) => ({ ...base, ...more, default_value: base.parameter_name }));

const options = fc.array(fc.record({ value: text, name: text }));

const parameter: fc.Arbitrary<ParameterControl> = fc
  .oneof(
    typed("text_field"),
    typed("text_area"),
    named("toggle_switch").map((base) => ({ ...base, default_value: false })),
    fc.tuple(named("drop_down"), options).map(([base, more]) => ({
      ...base,
      options: [...more, { value: base.parameter_name, name: "" }],
      default_value: base.parameter_name,
    })),
    fc
      .tuple(
        named("slider"),
        fc.double({ min: -1e6, max: 0, noNaN: true }),
        fc.double({ min: 1, max: 1e6, noNaN: true }),
      )
      .map(([base, min, max]) => ({
        ...base,
        min_value: min,
        max_value: max,
        step: max,
        default_value: 1,
      })),
    fc
      .tuple(named("aspect_ratio"), fc.array(fc.record({ width: number, height: number })))
      .map(([base, more]) => ({ ...base, options: [...more, { width: 4, height: 3 }] })),
  )
  .map(withoutMinusZero);

const plain: fc.Arbitrary<PlainControl> = fc.oneof(
  { weight: 5, arbitrary: parameter },
  fc.constant<PlainControl>({ control: "divider" }),
);

/** A condition looks at a control that stands right before it. */
const controls: fc.Arbitrary<readonly Control[]> = fc
  .array(
    fc.tuple(
      plain,
      fc.option(
        fc.tuple(
          fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le" as const),
          fc.oneof(text, fc.boolean(), fc.integer()),
          fc.array(plain, { minLength: 1, maxLength: 3 }),
        ),
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pairs) =>
    pairs.flatMap(([control, rest]): readonly Control[] => {
      if (rest === null || control.control === "divider") return [control];
      const [comparator, literal, inner] = rest;
      const condition: ConditionalControls["condition"] = {
        comparator,
        left: { parameter_name: control.parameter_name },
        right: { literal },
      };
      return [control, { control: "condition", condition, controls: inner }];
    }),
  );

const tab: fc.Arbitrary<ControlTab> = fc.record({ name: text, controls });

const more = fc.record({ name: text, collapsed_by_default: fc.boolean() }, { requiredKeys: [] });

/** Sections that keep every rule. */
export const arbitrarySections: fc.Arbitrary<readonly ControlSection[]> = fc.array(
  fc.oneof(
    fc.tuple(more, controls).map(([rest, list]) => ({ ...rest, controls: list })),
    fc
      .tuple(more, fc.array(tab, { minLength: 1, maxLength: 3 }))
      .map(([rest, tabs]) => ({ ...rest, tabs })),
  ),
  { minLength: 1, maxLength: 3 },
);

/** JSON has no -0. */
function withoutMinusZero(control: ParameterControl): ParameterControl {
  return JSON.parse(JSON.stringify(control));
}
