import { readSettings, type SessionSetting, type SettingsSource } from "@acp-kit/router";
import type { AgentOffer, OfferedSetting } from "./agent-offers.ts";

/** Longest list that is kept, and most settings. */
const MAX_LISTED = 3_000;
const MAX_SETTINGS = 100;

/** Settings that are told apart, or that are none of a session's. */
const KNOWN_NAMES: readonly string[] = ["model", "mode", "thinking", "agent", "workspace"];

/**
 * What an agent offers, by what it says of a session. `undefined` when it says nothing of its settings. Pure.
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
  if (settings.size === 0) return undefined;
  const model = settings.get("model");
  const mode = settings.get("mode");
  const currentMode = (isFresh ? asText(mode?.current) : undefined) ?? before?.currentMode;
  // Which ones there are may hang on what a conversation has chosen: only a new session tells.
  const own = isFresh ? readOwn(settings) : before?.settings;
  return {
    models: model ? listed(model) : (before?.models ?? []),
    modes: mode ? listed(mode) : (before?.modes ?? []),
    currentModel: (isFresh ? asText(model?.current) : undefined) ?? before?.currentModel ?? "",
    ...(currentMode !== undefined && { currentMode }),
    ...(own !== undefined && { settings: own }),
  };
}

function readOwn(settings: ReadonlyMap<string, SessionSetting>): readonly OfferedSetting[] {
  return [...settings]
    .filter(([name]) => !KNOWN_NAMES.includes(name))
    .slice(0, MAX_SETTINGS)
    .map(([id, setting]) => ({
      id,
      name: setting.label ?? id,
      values: listed(setting),
      ...(setting.current !== undefined && { current: setting.current }),
    }));
}

function asText(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function listed({ available, names }: SessionSetting) {
  return available.slice(0, MAX_LISTED).map((id) => ({ id, name: names?.[id] ?? id }));
}
