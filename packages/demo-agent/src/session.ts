import {
  type ContentBlock,
  flattenPrompt,
  type KnownConfigOption,
  type SessionInfo,
  type SessionSave,
  type SessionUpdate,
  type StoredSession,
  titleOf,
} from "@acp-kit/acp-wire";
import type { AgentTraits, Model } from "./script.ts";

/** What is kept of a session. */
export interface SessionData {
  info: SessionInfo;
  readonly state: SessionState;
  /** What `session/load` replays, as far as it was saved: that does not change any more. */
  readonly saved: SessionUpdate[];
  /** What has come since. */
  unsaved: SessionUpdate[];
}

export interface SessionState {
  /** How many prompts it has had. */
  prompts: number;
  /** `model`, `mode` and the config options, by id; what was never set has the value of the traits. */
  readonly settings: Record<string, string | boolean>;
}

/** Most updates that a session remembers. */
const MAX_HISTORY = 10_000;

const replayed = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

export function createSession(sessionId: string, cwd: string, at: string): SessionData {
  const info = { sessionId, cwd, updatedAt: at };
  return { info, state: { prompts: 0, settings: {} }, saved: [], unsaved: [] };
}

/** A session as it was when it was saved last. */
export function restoreSession({ info, history, state }: StoredSession): SessionData {
  const known = (state as SessionState | undefined) ?? { prompts: 0, settings: {} };
  return { info, state: known, saved: [...history], unsaved: [] };
}

/** What has to be saved; it counts as saved from now on. */
export function takeSave(session: SessionData, at: string): SessionSave {
  const added = session.unsaved;
  session.unsaved = [];
  session.saved.push(...added);
  session.info = { ...session.info, updatedAt: at };
  return { info: session.info, added, state: structuredClone(session.state) };
}

/** Takes note of what an update says about its session. Chunks of one message become one. */
export function noteUpdate(session: SessionData, update: SessionUpdate): void {
  const kind = update.sessionUpdate;
  const { settings } = session.state;
  if (kind === "current_mode_update" && typeof update["currentModeId"] === "string") {
    settings["mode"] = update["currentModeId"];
  }
  if (kind === "config_option_update" && Array.isArray(update["configOptions"])) {
    for (const option of update["configOptions"] as KnownConfigOption[]) {
      settings[option.id] = option.currentValue;
    }
  }
  if (kind === "session_info_update" && typeof update["title"] === "string") {
    session.info = { ...session.info, title: update["title"] };
  }
  if (replayed.has(kind)) remember(session, update);
}

function remember({ saved, unsaved }: SessionData, update: SessionUpdate): void {
  const last = unsaved.at(-1);
  const text = chunkText(update);
  const before = last?.sessionUpdate === update.sessionUpdate ? chunkText(last) : undefined;
  if (text !== undefined && before !== undefined) {
    unsaved[unsaved.length - 1] = { ...update, content: { type: "text", text: before + text } };
  } else if (saved.length + unsaved.length < MAX_HISTORY) unsaved.push(update);
}

function chunkText(update: SessionUpdate): string | undefined {
  const content = update["content"] as { type?: unknown; text?: unknown } | undefined;
  return content?.type === "text" && typeof content.text === "string" ? content.text : undefined;
}

/** A prompt has come: it counts, it is remembered, and the first one names the session. */
export function notePrompt(session: SessionData, blocks: readonly ContentBlock[]): void {
  session.state.prompts += 1;
  const title = titleOf(flattenPrompt(blocks));
  if (!session.info.title && title !== "") session.info = { ...session.info, title };
  for (const content of blocks)
    noteUpdate(session, { sessionUpdate: "user_message_chunk", content });
}

/** The current model, `""` when the script offers none. */
export function currentModel(session: SessionData, traits: AgentTraits): string {
  return String(session.state.settings["model"] ?? traits.models?.[0]?.id ?? "");
}

export function currentMode(session: SessionData, traits: AgentTraits): string {
  return String(session.state.settings["mode"] ?? traits.modes?.[0]?.id ?? "");
}

/** The config options with the session's values. */
export function configOptionsOf(session: SessionData, traits: AgentTraits): KnownConfigOption[] {
  const options = [...(traits.configOptions ?? [])];
  if (traits.models !== undefined && traits.modelsAs !== "set-model") {
    options.unshift(modelOption(traits.models));
  }
  return options.map((option) => {
    const currentValue = session.state.settings[option.id] ?? option.currentValue;
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
