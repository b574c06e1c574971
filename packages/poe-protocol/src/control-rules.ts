import {
  type Check,
  firstProblem,
  isEither,
  isListOf,
  isNumber,
  isOneOf,
  isShape,
  isSwitch,
  isText,
} from "./check.ts";
import type {
  Control,
  ControlOperand,
  ControlSection,
  ParameterControl,
  ParameterControls,
} from "./controls.ts";

/**
 * The first reason why Poe would not show these controls, or `undefined`. Poe itself names none: it
 * answers 200, and the whole panel is missing.
 */
export function findControlProblem(controls: unknown, at: string): string | undefined {
  return isControls(controls, at) ?? findDisagreement(controls as ParameterControls, at);
}

const isParameterName: Check = (value, at) => {
  if (typeof value === "string" && /^(?!poe_)[A-Za-z0-9_]+$/.test(value)) return undefined;
  return `${at} is not made of letters, digits and _ alone, or begins with poe_`;
};

const isParameterControl = (
  control: string,
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>>,
): Check =>
  isShape(
    { control: isOneOf(control), label: isText, parameter_name: isParameterName, ...required },
    { description: isText, ...optional },
  );

const isTyped = { default_value: isText, placeholder: isText };

/** What is known of each `control`. */
const PLAIN_CONTROLS: ReadonlyMap<unknown, Check> = new Map([
  ["divider", isShape({ control: isOneOf("divider") })],
  ["text_field", isParameterControl("text_field", {}, isTyped)],
  ["text_area", isParameterControl("text_area", {}, isTyped)],
  [
    "drop_down",
    isParameterControl(
      "drop_down",
      { options: isListOf(isShape({ value: isText, name: isText })) },
      { default_value: isText },
    ),
  ],
  ["toggle_switch", isParameterControl("toggle_switch", {}, { default_value: isSwitch })],
  [
    "slider",
    isParameterControl(
      "slider",
      { min_value: isNumber, max_value: isNumber, step: isNumber },
      { default_value: isNumber },
    ),
  ],
  [
    "aspect_ratio",
    isParameterControl(
      "aspect_ratio",
      { options: isListOf(isShape({ width: isNumber, height: isNumber }, { value: isText })) },
      { default_value: isText },
    ),
  ],
]);

const isControlOf =
  (known: ReadonlyMap<unknown, Check>): Check =>
  (value, at) => {
    const tag = (value as { control?: unknown } | null | undefined)?.control;
    const check = known.get(tag) ?? isShape({ control: isOneOf(...known.keys()) });
    return check(value, at);
  };

const isOperand = isEither(
  isShape({ literal: isEither(isText, isNumber, isSwitch) }),
  isShape({ parameter_name: isParameterName }),
);

const isControl = isControlOf(
  new Map([
    ...PLAIN_CONTROLS,
    [
      "condition",
      isShape({
        control: isOneOf("condition"),
        condition: isShape({
          comparator: isOneOf("eq", "ne", "gt", "ge", "lt", "le"),
          left: isOperand,
          right: isOperand,
        }),
        controls: isListOf(isControlOf(PLAIN_CONTROLS)),
      }),
    ],
  ]),
);

const isNamed = { name: isText, collapsed_by_default: isSwitch };

const isSection: Check = (value, at) => {
  const hasTabs = typeof value === "object" && value !== null && Object.hasOwn(value, "tabs");
  return hasTabs ? isTabbedSection(value, at) : isPlainSection(value, at);
};

const isPlainSection = isShape({ controls: isListOf(isControl) }, isNamed);

const isTabbedSection = isShape(
  { tabs: isListOf(isShape({ name: isText, controls: isListOf(isControl) })) },
  isNamed,
);

const isControls = isShape({ api_version: isOneOf("2"), sections: isListOf(isSection) });

/** What each control may say by itself, but not beside the others or its own options. */
function findDisagreement({ sections }: ParameterControls, at: string): string | undefined {
  const defaults = new Map<string, unknown>();
  const operands: ControlOperand[] = [];

  const visit = (control: Control): string | undefined => {
    if (control.control === "divider") return undefined;
    if (control.control === "condition") {
      operands.push(control.condition.left, control.condition.right);
      return firstProblem(control.controls.map((each) => () => visit(each)));
    }
    const name = control.parameter_name;
    const problem = findOwnProblem(control);
    if (problem !== undefined) return `${at}: "${name}": ${problem}`;
    if (defaults.has(name) && defaults.get(name) !== control.default_value) {
      return `${at}: two controls set "${name}", with different defaults`;
    }
    defaults.set(name, control.default_value);
    return undefined;
  };

  return (
    firstProblem(sections.flatMap(controlsOf).map((control) => () => visit(control))) ??
    firstProblem(
      operands.map(({ parameter_name: name }) => () => {
        if (name === undefined || defaults.has(name)) return undefined;
        return `${at}: a condition looks at "${name}", which no control sets`;
      }),
    )
  );
}

function controlsOf(section: ControlSection): readonly Control[] {
  return section.controls ?? section.tabs.flatMap((tab) => tab.controls);
}

function findOwnProblem(control: ParameterControl): string | undefined {
  const preset = control.default_value;
  switch (control.control) {
    case "drop_down":
    case "aspect_ratio": {
      const values: readonly unknown[] =
        control.control === "drop_down"
          ? control.options.map((option) => option.value)
          : control.options.map(({ width, height, value }) => value ?? `${width}:${height}`);
      if (preset === undefined || values.includes(preset)) return undefined;
      return `the default ${JSON.stringify(preset)} is none of the options`;
    }
    case "slider": {
      const { min_value: min, max_value: max, step } = control;
      if (min >= max || step <= 0) return "the slider has no room to move";
      if (preset === undefined || (Number(preset) >= min && Number(preset) <= max))
        return undefined;
      return `the default ${preset} is outside ${min} to ${max}`;
    }
    default:
      return undefined;
  }
}
