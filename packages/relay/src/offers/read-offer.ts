import { readSettings, type SessionSetting, type SettingsSource } from "@acp-kit/router";
import type { AgentOffer } from "./agent-offers.ts";

/** Longest list that is kept. */
const MAX_LISTED = 3_000;

/**
 * What an agent offers, by what it says of a session. `undefined` when it says nothing of models and modes. Pure.
 *
 * @param before - What was known of it: what the agent does not say now has not changed.
 * @param isFresh - The session is a new one: what it uses is what the agent uses unasked.
 */
export function readOffer(
  source: SettingsSource,
  before: AgentOffer | undefined,
  isFresh: boolean,
): AgentOffer | undefined {
  const settings = readSettings(source);
  const model = settings.get("model");
  const mode = settings.get("mode");
  if (!model && !mode) return undefined;
  const current = isFresh && typeof model?.current === "string" ? model.current : undefined;
  return {
    models: model ? listed(model) : (before?.models ?? []),
    modes: mode ? listed(mode) : (before?.modes ?? []),
    currentModel: current ?? before?.currentModel ?? "",
  };
}

function listed({ available, names }: SessionSetting) {
  return available.slice(0, MAX_LISTED).map((id) => ({ id, name: names?.[id] ?? id }));
}
