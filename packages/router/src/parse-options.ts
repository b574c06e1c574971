import { type Options, THINKING_LEVELS } from "./options.ts";
import { plainParameter, providerOf, providerParameters } from "./provider.ts";

/** Wire names of what a person can choose; providers have parameters of their own besides, see `providerParameters`. */
export const OPTION_PARAMETERS = {
  model: "model",
  provider: "provider",
  thinking: "thinking",
  hideThinking: "hide_thinking",
  showPlans: "show_plans",
  showTools: "show_tools",
  showToolDetails: "show_tool_details",
} as const;

/** The other way round, as relays of the same protocol call it; platforms keep a chat's values under either name. */
const SHOW_THINKING = "show_thinking";

/**
 * Lays what a message's parameters choose over the defaults. Unknown keys and values of the wrong type or outside
 * their set are ignored one by one: other programs may send anything here.
 *
 * The model is, first that is there: `model`; the chosen provider's own list; the default model if it is that
 * provider's and listed; the provider's first listed model; the default model. Without a `provider`, the default
 * model's provider counts as chosen, since a front end sends only what was touched. A named model need not be listed.
 *
 * @param params - Untrusted; anything but an object counts as empty.
 * @param models - Ids in the order in which people see them, the same that the options panel was built from.
 */
export function parseOptions(
  params: unknown,
  defaults: Options,
  models: readonly string[] = [],
): Options {
  const read = (key: string): unknown =>
    typeof params === "object" && params !== null && Object.hasOwn(params, key)
      ? (params as Record<string, unknown>)[key]
      : undefined;
  const flag = (key: string, preset: boolean): boolean => {
    const value = read(key);
    return typeof value === "boolean" ? value : preset;
  };
  const thinking = read(OPTION_PARAMETERS.thinking);
  const hidden = flag(OPTION_PARAMETERS.hideThinking, defaults.hideThinking);
  return {
    model: parseModel(read, defaults.model, models),
    thinking: THINKING_LEVELS.find((level) => level === thinking) ?? defaults.thinking,
    hideThinking: !flag(SHOW_THINKING, !hidden),
    showPlans: flag(OPTION_PARAMETERS.showPlans, defaults.showPlans),
    showTools: flag(OPTION_PARAMETERS.showTools, defaults.showTools),
    showToolDetails: flag(OPTION_PARAMETERS.showToolDetails, defaults.showToolDetails),
  };
}

function parseModel(
  read: (key: string) => unknown,
  preset: string,
  models: readonly string[],
): string {
  const model = filled(read(OPTION_PARAMETERS.model));
  if (model !== undefined) return model;
  const named = read(OPTION_PARAMETERS.provider);
  if (typeof named !== "string") {
    const shown = preset === "" ? undefined : ownParameter(providerOf(preset), models);
    return (shown === undefined ? undefined : filled(read(shown))) ?? preset;
  }
  const provider = named === "" ? providerOf("") : named;
  const parameter = ownParameter(provider, models);
  const nested = parameter === undefined ? undefined : filled(read(parameter));
  if (nested !== undefined) return nested;
  const offered = models.filter((id) => providerOf(id) === provider);
  return offered.includes(preset) ? preset : (offered[0] ?? preset);
}

/** A provider that is not listed has its plain name, unless that is a listed one's: then it has no list to choose from. */
function ownParameter(provider: string, models: readonly string[]): string | undefined {
  const names = providerParameters(models);
  const plain = plainParameter(provider);
  return names.get(provider) ?? ([...names.values()].includes(plain) ? undefined : plain);
}

function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
