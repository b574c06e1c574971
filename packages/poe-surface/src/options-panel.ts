import {
  type Control,
  createParameterControls,
  type DropDown,
  type ParameterControls,
  type PlainControl,
} from "@acp-kit/poe-protocol";
import type { AgentOffer } from "@acp-kit/relay";
import {
  DEFAULT_OPTIONS,
  OPTION_PARAMETERS,
  type Options,
  providerOf,
  providerParameters,
  THINKING_LEVELS,
} from "@acp-kit/router";
import { type AgentChoice, createAgentControls } from "./agent-controls.ts";

/** A model as an agent lists it. */
export type PanelModel = { readonly id: string; readonly name: string };

export type PanelInput = Pick<AgentOffer, "modes" | "currentMode" | "settings"> & {
  /** In the agent's order. */
  readonly models: readonly PanelModel[];
  /** What the agent uses unasked; empty when it does not say. */
  readonly currentModel: string;
  /** Ids that come first, in this order; unknown ones are ignored. */
  readonly pinnedModels: readonly string[];
  /** What the operator chose; what is absent has the panel's own default. */
  readonly config: Partial<Options>;
};

export type OptionsPanel = {
  /** What holds for a message that chooses nothing: what the panel shows. */
  readonly defaults: Options;
  /** Ids in the order shown: `parseOptions` needs the same one. */
  readonly models: readonly string[];
  /** What else of the agent's is listed. */
  readonly choices: readonly AgentChoice[];
  readonly controls: ParameterControls;
};

/** A thinking level where neither operator nor person chose one. */
const DEFAULT_THINKING = "medium";

/**
 * The options panel of a bot, with the defaults that it shows. Both come from one place, because Poe
 * sends only what a person touched.
 *
 * One provider has one list of models. Several have a list each, of which the panel shows that of the
 * chosen provider. Models that nobody could choose are left out: without an id, or with half a character
 * in it, for which Poe would drop the whole panel.
 */
export function createOptionsPanel(input: PanelInput): OptionsPanel {
  const models = orderModels(input.models, input.pinnedModels);
  const ids = models.map(({ id }) => id);
  const defaults = resolveDefaults(input, ids);
  const { mode, others, choices } = createAgentControls(input);
  const controls = createParameterControls([
    {
      name: "Options",
      controls: [
        ...modelControls(models, defaults.model),
        ...mode,
        dropDown("Thinking", OPTION_PARAMETERS.thinking, THINKING_NAMES, defaults.thinking),
        toggle("Hide thinking output", "hideThinking", defaults),
        toggle("Plan", "showPlans", defaults),
        toggle("Tools", "showTools", defaults),
        toggle("Tool details", "showToolDetails", defaults),
      ],
    },
    ...(others.length > 0 ? [{ name: "Agent", controls: others }] : []),
  ]);
  return { defaults, models: ids, choices, controls };
}

const THINKING_NAMES = THINKING_LEVELS.map((value) => ({
  value,
  name: value === "xhigh" ? "Extra-high" : `${value.slice(0, 1).toUpperCase()}${value.slice(1)}`,
}));

function orderModels(
  listed: readonly PanelModel[],
  pinned: readonly string[],
): readonly PanelModel[] {
  const models = new Map<string, PanelModel>();
  for (const { id, name } of listed) {
    if (id === "" || !id.isWellFormed() || models.has(id)) continue;
    models.set(id, { id, name: name.toWellFormed() || id });
  }
  const first = pinned.flatMap((id) => models.get(id) ?? []);
  return [...new Set([...first, ...models.values()])];
}

function resolveDefaults({ config, currentModel }: PanelInput, ids: readonly string[]): Options {
  const model = [config.model, currentModel].find((id) => id !== undefined && ids.includes(id));
  return {
    model: model ?? "",
    thinking: THINKING_LEVELS.find((level) => level === config.thinking) ?? DEFAULT_THINKING,
    hideThinking: config.hideThinking ?? true,
    showPlans: config.showPlans ?? DEFAULT_OPTIONS.showPlans,
    showTools: config.showTools ?? DEFAULT_OPTIONS.showTools,
    showToolDetails: config.showToolDetails ?? DEFAULT_OPTIONS.showToolDetails,
  };
}

function modelControls(models: readonly PanelModel[], preset: string): readonly Control[] {
  const parameters = providerParameters(models.map(({ id }) => id));
  const modelsOf = (provider: string, parameter: string): DropDown => {
    const own = models.filter(({ id }) => providerOf(id) === provider);
    const shown = own.find(({ id }) => id === preset) ?? own[0];
    const options = own.map(({ id, name }) => ({ value: id, name }));
    return dropDown("Model", parameter, options, shown?.id);
  };
  const providers = [...parameters.keys()];
  const [only, second] = providers;
  if (only === undefined) return [];
  if (second === undefined) return [modelsOf(only, OPTION_PARAMETERS.model)];
  return [
    dropDown(
      "Provider",
      OPTION_PARAMETERS.provider,
      providers.map((provider) => ({ value: provider, name: provider })),
      preset === "" ? undefined : providerOf(preset),
    ),
    ...[...parameters].map(
      ([provider, parameter]): Control => ({
        control: "condition",
        condition: {
          comparator: "eq",
          left: { parameter_name: OPTION_PARAMETERS.provider },
          right: { literal: provider },
        },
        controls: [modelsOf(provider, parameter)],
      }),
    ),
  ];
}

function dropDown(
  label: string,
  parameter: string,
  options: DropDown["options"],
  preset: string | undefined,
): DropDown {
  return {
    control: "drop_down",
    label,
    parameter_name: parameter,
    options,
    ...(preset === undefined ? {} : { default_value: preset }),
  };
}

function toggle(
  label: string,
  option: "hideThinking" | "showPlans" | "showTools" | "showToolDetails",
  defaults: Options,
): PlainControl {
  return {
    control: "toggle_switch",
    label,
    parameter_name: OPTION_PARAMETERS[option],
    default_value: defaults[option],
  };
}
