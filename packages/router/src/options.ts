import type { Settings } from "./session-settings.ts";

/** Levels of thinking that an agent may offer, lowest first. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** What a person chose for a prompt. An empty string leaves the agent as it is. */
export type Options = {
  readonly model: string;
  readonly thinking: string;
  readonly hideThinking: boolean;
  readonly showPlans: boolean;
  readonly showTools: boolean;
  readonly showToolDetails: boolean;
  /** Other settings of the agent's, such as its mode, where a person chose one: values by name. */
  readonly settings?: Settings;
};

/** Nothing chosen: the agent's own model and thinking, everything shown but tool details. */
export const DEFAULT_OPTIONS: Options = {
  model: "",
  thinking: "",
  hideThinking: false,
  showPlans: true,
  showTools: true,
  showToolDetails: false,
};
