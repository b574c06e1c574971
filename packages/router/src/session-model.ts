import { asFields, asFieldsList, asText, type Fields } from "./fields.ts";

/** How a session's model is read and set: by a config option, or by the older `session/set_model`. */
export type ModelSetting = {
  /** The config option's id; `undefined` for the older way. */
  readonly option?: string;
  readonly current?: string;
  /** Ids that can be chosen, in the agent's order. */
  readonly available: readonly string[];
};

/**
 * The model setting of a session, as the agent described it; `undefined` when it has none.
 * A config option of category `model` wins over the older `models` list, which some agents still send.
 */
export function readModelSetting(setup: {
  readonly configOptions?: unknown;
  readonly models?: unknown;
}): ModelSetting | undefined {
  const option = asFieldsList(setup.configOptions).find((item) => item["category"] === "model");
  const id = asText(option?.["id"]);
  if (option && id !== undefined) {
    const current = asText(option["currentValue"]);
    return {
      option: id,
      available: asFieldsList(option["options"]).flatMap(readChoices),
      ...(current !== undefined && { current }),
    };
  }
  const models = asFields(setup.models);
  if (!models) return undefined;
  const current = asText(models["currentModelId"]);
  return {
    available: asFieldsList(models["availableModels"]).flatMap(
      (item) => asText(item["modelId"]) ?? [],
    ),
    ...(current !== undefined && { current }),
  };
}

/** A choice, or a group of choices. */
function readChoices(item: Fields): string[] {
  const group = asFieldsList(item["options"]);
  if (group.length > 0) return group.flatMap((choice) => asText(choice["value"]) ?? []);
  const value = asText(item["value"]);
  return value === undefined ? [] : [value];
}
