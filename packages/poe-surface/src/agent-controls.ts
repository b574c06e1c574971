import type { PlainControl } from "@acp-kit/poe-protocol";
import type { AgentOffer, OfferedSetting } from "@acp-kit/relay";

/** A setting of the agent's that the panel lists, and the parameter that carries it. */
export type AgentChoice = {
  /** Its name for the router. */
  readonly setting: string;
  readonly parameter: string;
  /** What may be chosen; a switch has yes and no. */
  readonly values: readonly string[] | "switch";
};

export type AgentControls = {
  readonly mode: readonly PlainControl[];
  readonly others: readonly PlainControl[];
  readonly choices: readonly AgentChoice[];
};

/** The mode's parameter, and what stands in front of those of other settings. */
const MODE_PARAMETER = "mode";
const SETTING_PREFIX = "setting_";

/** Most settings and values that are listed, and longest name and value that the router takes, in characters. */
const MAX_SETTINGS = 12;
const MAX_VALUES = 200;
const MAX_CHARS = 100;

/** Controls for the mode and the other settings of an agent; what could not be chosen among is left out. */
export function createAgentControls(
  offer: Pick<AgentOffer, "modes" | "currentMode" | "settings">,
): AgentControls {
  const { modes = [], currentMode, settings = [] } = offer;
  const mode = createControl(
    { id: "mode", name: "Mode", values: modes, ...(currentMode && { current: currentMode }) },
    MODE_PARAMETER,
  );
  const listed = settings.filter(isListable).slice(0, MAX_SETTINGS);
  const parameters = settingParameters(listed.map(({ id }) => id));
  const others = listed.map((setting, at) => createControl(setting, parameters[at] ?? ""));
  return {
    mode: mode === undefined ? [] : [mode.control],
    others: others.flatMap((one) => one?.control ?? []),
    choices: [mode, ...others].flatMap((one) => one?.choice ?? []),
  };
}

/** What of the agent's settings a message's parameters choose: only what is listed. */
export function parseAgentChoices(
  parameters: unknown,
  choices: readonly AgentChoice[],
): Record<string, string | boolean> {
  if (typeof parameters !== "object" || parameters === null) return {};
  const chosen = choices.flatMap(({ setting, parameter, values }): [string, string | boolean][] => {
    if (!Object.hasOwn(parameters, parameter)) return [];
    const value = (parameters as Record<string, unknown>)[parameter];
    if (values === "switch") return typeof value === "boolean" ? [[setting, value]] : [];
    return typeof value === "string" && values.includes(value) ? [[setting, value]] : [];
  });
  return Object.fromEntries(chosen);
}

function isListable({ id, values, current }: OfferedSetting): boolean {
  const isSwitch = values.length === 0 && typeof current === "boolean";
  return isShort(id) && (isSwitch || listable(values).length > 1);
}

function createControl(
  { id, name, values, current }: OfferedSetting,
  parameter: string,
): { readonly control: PlainControl; readonly choice: AgentChoice } | undefined {
  const common = { label: name.toWellFormed() || id, parameter_name: parameter };
  if (typeof current === "boolean" && values.length === 0) {
    return {
      control: { control: "toggle_switch", ...common, default_value: current },
      choice: { setting: id, parameter, values: "switch" },
    };
  }
  const options = listable(values);
  if (options.length < 2) return undefined;
  const preset = options.find(({ value }) => value === current)?.value;
  return {
    control: {
      control: "drop_down",
      ...common,
      options,
      ...(preset !== undefined && { default_value: preset }),
    },
    choice: { setting: id, parameter, values: options.map(({ value }) => value) },
  };
}

function listable(values: OfferedSetting["values"]) {
  const options = new Map<string, { readonly value: string; readonly name: string }>();
  for (const { id, name } of values) {
    if (!isShort(id) || options.has(id) || options.size >= MAX_VALUES) continue;
    options.set(id, { value: id, name: name.toWellFormed() || id });
  }
  return [...options.values()];
}

function isShort(id: string): boolean {
  return id !== "" && id.length <= MAX_CHARS && id.isWellFormed();
}

/** As with providers: the first keeps the plain name, and no other one takes the plain name of another. */
function settingParameters(ids: readonly string[]): readonly string[] {
  const plain = ids.map((id) => SETTING_PREFIX + id.toLowerCase().replace(/[^a-z0-9_]/g, "_"));
  const taken = new Set<string>();
  return plain.map((base) => {
    let name = base;
    for (let suffix = 2; taken.has(name) || (name !== base && plain.includes(name)); suffix += 1) {
      name = `${base}_${suffix}`;
    }
    taken.add(name);
    return name;
  });
}
