import type { ConfigOption, SessionModelState, SessionModeState } from "./types/session.ts";
import type { SessionUpdate } from "./types/update.ts";

/** What a session says about its mode, its model and its options. */
export interface SettingsState {
  modes?: SessionModeState | null;
  models?: SessionModelState | null;
  configOptions?: readonly ConfigOption[] | null;
}

/** How to change a setting on the wire. */
export interface SettingCall {
  method: string;
  params: { [key: string]: unknown };
}

/**
 * The call that chooses a model: the session's config option of the category `model` where it has
 * one, else the older `session/set_model`. Pure.
 */
export function setModelCall(state: SettingsState | undefined, model: string): SettingCall {
  return (
    optionCall(state, "model", model) ?? { method: "session/set_model", params: { modelId: model } }
  );
}

/** The call that chooses a mode: a config option of the category `mode`, else `session/set_mode`. */
export function setModeCall(state: SettingsState | undefined, mode: string): SettingCall {
  return (
    optionCall(state, "mode", mode) ?? { method: "session/set_mode", params: { modeId: mode } }
  );
}

/** The call that sets any config option. */
export function setOptionCall(configId: string, value: string | boolean): SettingCall {
  const method = "session/set_config_option";
  return typeof value === "boolean"
    ? { method, params: { configId, type: "boolean", value } }
    : { method, params: { configId, value } };
}

/** The state after an update of the session; the same object when the update is about other things. */
export function reduceSettings(state: SettingsState, update: SessionUpdate): SettingsState {
  if (update.sessionUpdate === "config_option_update" && Array.isArray(update["configOptions"])) {
    return { ...state, configOptions: update["configOptions"] as ConfigOption[] };
  }
  return state;
}

function optionCall(state: SettingsState | undefined, category: string, value: string) {
  const option = state?.configOptions?.find(
    (candidate) => candidate?.category === category && candidate.type === "select",
  );
  return option && setOptionCall(option.id, value);
}
