/**
 * What Poe shows beside the message box, and sends as `parameters` of each message. Poe sends only
 * what a person has touched: `default_value` is what the panel shows, not what the bot receives.
 *
 * @see https://creator.poe.com/docs/reference
 */
export type ParameterControls = {
  readonly api_version: "2";
  readonly sections: readonly ControlSection[];
};

/** A group of the panel: controls, or tabs with controls, never both. */
export type ControlSection = { readonly name?: string; readonly collapsed_by_default?: boolean } & (
  | { readonly controls: readonly Control[]; readonly tabs?: never }
  | { readonly tabs: readonly ControlTab[]; readonly controls?: never }
);

export type ControlTab = { readonly name: string; readonly controls: readonly Control[] };

export type Control = PlainControl | ConditionalControls;

/** All that may stand inside a condition: there is no condition within another. */
export type PlainControl = Divider | ParameterControl;

export type Divider = { readonly control: "divider" };

/** A control that sets a parameter. */
export type ParameterControl =
  | TextField
  | TextArea
  | DropDown
  | ToggleSwitch
  | Slider
  | AspectRatio;

type Parameter = {
  readonly label: string;
  readonly description?: string;
  /**
   * Letters, digits and `_`, not beginning with `poe_`. Controls may share one if they share their
   * default too.
   */
  readonly parameter_name: string;
};

export type TextField = Parameter & {
  readonly control: "text_field";
  readonly default_value?: string;
  readonly placeholder?: string;
};

export type TextArea = Parameter & {
  readonly control: "text_area";
  readonly default_value?: string;
  readonly placeholder?: string;
};

export type DropDown = Parameter & {
  readonly control: "drop_down";
  /** At least one. */
  readonly options: readonly { readonly value: string; readonly name: string }[];
  /** One of the values. */
  readonly default_value?: string;
};

export type ToggleSwitch = Parameter & {
  readonly control: "toggle_switch";
  readonly default_value?: boolean;
};

export type Slider = Parameter & {
  readonly control: "slider";
  readonly min_value: number;
  readonly max_value: number;
  readonly step: number;
  readonly default_value?: number;
};

export type AspectRatio = Parameter & {
  readonly control: "aspect_ratio";
  /** At least one. Without a `value` of its own, an option's is `width:height`. */
  readonly options: readonly {
    readonly width: number;
    readonly height: number;
    readonly value?: string;
  }[];
  /** One of the values. */
  readonly default_value?: string;
};

/** Controls that are shown while a condition holds. */
export type ConditionalControls = {
  readonly control: "condition";
  readonly condition: ControlCondition;
  /** At least one. */
  readonly controls: readonly PlainControl[];
};

export type ControlCondition = {
  /** Poe's reference says `equals`, its own types say these six. `eq` is known to work. */
  readonly comparator: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
  readonly left: ControlOperand;
  readonly right: ControlOperand;
};

/** A value, or a parameter that one of the controls sets. */
export type ControlOperand =
  | { readonly literal: string | number | boolean; readonly parameter_name?: never }
  | { readonly parameter_name: string; readonly literal?: never };
