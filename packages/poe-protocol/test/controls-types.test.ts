import { expect, it } from "vitest";
import {
  type ConditionalControls,
  type ControlSection,
  createParameterControls,
  createSettings,
  type TextField,
} from "../src/index.ts";

const field: TextField = { control: "text_field", label: "Style", parameter_name: "style" };
const when: ConditionalControls = {
  control: "condition",
  condition: { comparator: "eq", left: { parameter_name: "style" }, right: { literal: "x" } },
  controls: [field],
};

const on = (condition: ConditionalControls["condition"]) =>
  createParameterControls([{ controls: [{ ...when, condition }] }]);

/** Compiled, never called: each line marked so must not compile, and `tsc` fails when one does. */
export function wrongPanels() {
  // @ts-expect-error controls beside tabs
  createParameterControls([{ controls: [field], tabs: [{ name: "x", controls: [field] }] }]);
  // @ts-expect-error neither
  createParameterControls([{ name: "x" }]);
  // @ts-expect-error a tab without a name
  createParameterControls([{ tabs: [{ controls: [field] }] }]);
  // @ts-expect-error a key that Poe does not know
  createParameterControls([{ controls: [field], title: "x" }]);
  // @ts-expect-error a control that Poe does not know
  createParameterControls([{ controls: [{ control: "file_picker" }] }]);
  // @ts-expect-error no label
  createParameterControls([{ controls: [{ control: "text_field", parameter_name: "x" }] }]);
  // @ts-expect-error a key of another control
  createParameterControls([{ controls: [{ ...when, label: "x", description: "x" } as const] }]);
  // @ts-expect-error a default of another type
  createParameterControls([{ controls: [{ ...field, default_value: true }] }]);
  // @ts-expect-error a condition in a condition
  createParameterControls([{ controls: [{ ...when, controls: [when] }] }]);
  const { left, right } = when.condition;
  // @ts-expect-error the comparator of other docs
  on({ comparator: "equals", left, right });
  // @ts-expect-error an operand of both kinds
  on({ comparator: "eq", left: { literal: 1, parameter_name: "style" }, right });
  // @ts-expect-error a setting that Poe does not know
  createSettings({ allow_attachment: true });
  // @ts-expect-error a deprecated one
  createSettings({ custom_rate_card: "x" });
  // @ts-expect-error another version
  createSettings({ response_version: 1 });
  // @ts-expect-error controls of another version
  createSettings({ parameter_controls: { api_version: "1", sections: [] } });
}

it("the types take a panel with everything in it", () => {
  const sections: ControlSection[] = [
    { name: "A", collapsed_by_default: true, controls: [field, { control: "divider" }, when] },
    { tabs: [{ name: "B", controls: [when, field] }] },
  ];
  expect(createParameterControls(sections).sections).toEqual(sections);
});
