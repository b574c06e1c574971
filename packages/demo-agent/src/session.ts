import type { ContentBlock, KnownConfigOption, SessionUpdate } from "@acp-kit/acp-wire";
import { promptTexts } from "./prompt-text.ts";
import type { AgentTraits, Model } from "./script.ts";

/** What is kept of a session: plain data, as it stands in the store. */
export interface SessionData {
  readonly id: string;
  readonly cwd: string;
  title?: string;
  /** ISO 8601. */
  updatedAt: string;
  /** How many prompts it has had. */
  prompts: number;
  /** `model`, `mode` and the config options, by id; what was never set has the value of the traits. */
  readonly settings: Record<string, string | boolean>;
  /** What `session/load` replays. */
  readonly history: SessionUpdate[];
}

/** Most updates that a session remembers: enough for any test, no burden after a flood. */
const MAX_HISTORY = 1_000;

/** Longest title made from a prompt, in code points. */
const MAX_TITLE = 80;

const replayed = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** Takes note of what an update says about its session. Chunks of one message become one. */
export function noteUpdate(session: SessionData, update: SessionUpdate): void {
  const kind = update.sessionUpdate;
  if (kind === "current_mode_update" && typeof update["currentModeId"] === "string") {
    session.settings["mode"] = update["currentModeId"];
  }
  if (kind === "config_option_update" && Array.isArray(update["configOptions"])) {
    for (const option of update["configOptions"] as KnownConfigOption[]) {
      session.settings[option.id] = option.currentValue;
    }
  }
  if (kind === "session_info_update" && typeof update["title"] === "string") {
    session.title = update["title"];
  }
  if (!replayed.has(kind)) return;
  const { history } = session;
  const last = history.at(-1);
  const text = chunkText(update);
  const before = last?.sessionUpdate === kind ? chunkText(last) : undefined;
  if (text !== undefined && before !== undefined) {
    history[history.length - 1] = { ...update, content: { type: "text", text: before + text } };
  } else {
    history.push(update);
    if (history.length > MAX_HISTORY) history.shift();
  }
}

/** A prompt has come: it counts, it is remembered, and the first one names the session. */
export function notePrompt(
  session: SessionData,
  blocks: readonly ContentBlock[],
  at: string,
): void {
  session.prompts += 1;
  session.updatedAt = at;
  const title = promptTexts(blocks).join(" ").replace(/\s+/g, " ").trim();
  if (title !== "") session.title ??= Array.from(title).slice(0, MAX_TITLE).join("");
  for (const content of blocks)
    noteUpdate(session, { sessionUpdate: "user_message_chunk", content });
}

function chunkText(update: SessionUpdate): string | undefined {
  const content = update["content"] as { type?: unknown; text?: unknown } | undefined;
  return content?.type === "text" && typeof content.text === "string" ? content.text : undefined;
}

/** The current model, `""` when the script offers none. */
export function currentModel(session: SessionData, traits: AgentTraits): string {
  return String(session.settings["model"] ?? traits.models?.[0]?.id ?? "");
}

export function currentMode(session: SessionData, traits: AgentTraits): string {
  return String(session.settings["mode"] ?? traits.modes?.[0]?.id ?? "");
}

/** The config options with the session's values. */
export function configOptionsOf(session: SessionData, traits: AgentTraits): KnownConfigOption[] {
  const options = [...(traits.configOptions ?? [])];
  if (traits.models !== undefined && traits.modelsAs !== "set-model") {
    options.unshift(modelOption(traits.models));
  }
  return options.map((option) => {
    const currentValue = session.settings[option.id] ?? option.currentValue;
    return { ...option, currentValue } as KnownConfigOption;
  });
}

function modelOption(models: readonly Model[]): KnownConfigOption {
  return {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: models[0]?.id ?? "",
    options: models.map(({ id, ...rest }) => ({ value: id, ...rest })),
  };
}

/** What `session/new`, `session/load` and `session/resume` answer about modes, models and options. */
export function sessionSetup(session: SessionData, traits: AgentTraits): Record<string, unknown> {
  const { modes, models, modelsAs } = traits;
  const configOptions = configOptionsOf(session, traits);
  return {
    ...(modes && {
      modes: { currentModeId: currentMode(session, traits), availableModes: modes },
    }),
    ...(models &&
      modelsAs === "set-model" && {
        models: {
          currentModelId: currentModel(session, traits),
          availableModels: models.map(({ id, ...rest }) => ({ modelId: id, ...rest })),
        },
      }),
    ...(configOptions.length > 0 && { configOptions }),
  };
}

/** Why a setting cannot take this value; `undefined` when it can. */
export function refuseSetting(
  session: SessionData,
  traits: AgentTraits,
  setting: string,
  value: unknown,
): string | undefined {
  const choices = { model: traits.models, mode: traits.modes }[setting];
  if (choices !== undefined) {
    if (choices.some(({ id }) => id === value)) return undefined;
    const known = choices.map(({ id }) => id).join(", ");
    return `There is no ${setting} ${JSON.stringify(value)}; there are ${known}.`;
  }
  const option = configOptionsOf(session, traits).find(({ id }) => id === setting);
  if (option === undefined) return `There is no config option "${setting}".`;
  if (typeof value === typeof option.currentValue) return undefined;
  return `Config option "${setting}" takes a ${typeof option.currentValue}.`;
}
