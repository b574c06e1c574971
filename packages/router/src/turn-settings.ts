import { isSessionNotFound } from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import type { ServingAgent } from "./agent-directory.ts";
import type { SessionRules } from "./conversation-sessions.ts";
import { RouterError } from "./errors.ts";
import type { EventBody } from "./events.ts";
import type { Options } from "./options.ts";
import {
  parametersOf,
  type SessionBook,
  withParameters,
  withSession,
  withWanted,
} from "./session-record.ts";
import {
  boundedSettings,
  changedSettings,
  chooseNewest,
  currentSettings,
  permitSetting,
  type SessionSetting,
  type Settings,
} from "./session-settings.ts";
import type { Attached } from "./session-slot.ts";
import type { PromptItem } from "./store.ts";
import { within } from "./within.ts";

/** How long an agent may take to change a setting, in milliseconds. */
const SETTING_TIMEOUT_MS = 30_000;

/** What a message's options say about the session, as against about what is shown. */
function sentWith({ model, thinking, settings }: Options): Settings {
  return boundedSettings({ model, thinking, ...settings });
}

/**
 * Notes what came with a message, and tells what its turn is to run with. What was chosen for all agents and models, and
 * this one does not have, is left out.
 *
 * @throws RouterError `not-allowed` when nothing that the agent offers for a setting is open to the person.
 */
export async function choosePermitted(
  { name: agent, key }: Pick<ServingAgent, "name" | "key">,
  { settings }: Attached,
  { user, options, defaults: presets }: PromptItem,
  context: {
    readonly book: SessionBook;
    readonly conversation: string;
    readonly rules: SessionRules;
    onChoiceRefused(user: string, setting: string, value: string | boolean): void;
  },
): Promise<{ permitted: Settings; refused: readonly string[] }> {
  const { book, conversation, rules } = context;
  const initial = await noteInitial(book, key, settings);
  const isOpen = (setting: string, value: string | boolean) =>
    rules.mayChoose?.({
      conversation,
      user,
      agent,
      setting,
      value,
      initial: initialOf(settings.get(setting), initial[setting]),
    }) ?? true;
  const defaults = sentWith(presets ?? rules.defaults);
  const sent = sentWith(options);
  /** What is told of a setting, by its name. */
  const refused = new Map<string, string>();
  const record = await book.change((before) => {
    const wanted = before.wanted[agent] ?? {};
    const last = parametersOf(before, user);
    const open = Object.fromEntries(
      Object.entries(sent).filter(([name, value]) => {
        if (value === "" || isOpen(name, value)) return true;
        const isNews = last?.[name] !== value;
        if (isNews) {
          refused.set(name, `The ${name} ${value} is not open to you here.`);
          context.onChoiceRefused(user, name, value);
        }
        return false;
      }),
    );
    const next = withParameters(before, user, sent);
    return withWanted(next, agent, chooseNewest(wanted, last, open, defaults), (name) =>
      open[name] === defaults[name] ? "" : user,
    );
  });
  const wanted = record.wanted[agent] ?? {};
  const permitted: Record<string, string | boolean> = {};
  for (const name of new Set(["model", "mode", ...settings.keys()])) {
    const preset = defaults[name];
    const choice = permitSetting(
      settings.get(name),
      wanted[name],
      typeof preset === "string" ? preset : undefined,
      initial[name],
      (value) => isOpen(name, value),
    );
    if (choice.kind === "nothing") {
      const message = `No ${name} that the agent offers is open to ${user}`;
      throw new RouterError(message, { code: "not-allowed" });
    }
    if (choice.value === undefined) continue;
    permitted[name] = choice.value;
    if (choice.kind === "instead" && choice.value !== settings.get(name)?.current) {
      const text = `The ${name} ${choice.refused} is not open to you here: this runs with ${choice.value}.`;
      refused.set(name, text);
      context.onChoiceRefused(user, name, choice.refused);
    }
  }
  return { permitted, refused: [...refused.values()] };
}

/** What the session began with. A setting that it got later began with what it was seen to be first. */
async function noteInitial(
  book: SessionBook,
  key: string,
  settings: Attached["settings"],
): Promise<Settings> {
  const current = currentSettings(settings);
  const known = (await book.read()).sessions[key]?.initial ?? {};
  if (Object.keys(current).every((name) => known[name] !== undefined)) return known;
  const record = await book.change((before) => {
    const session = before.sessions[key];
    return session
      ? withSession(before, key, { ...session, initial: { ...current, ...session.initial } })
      : before;
  });
  return record.sessions[key]?.initial ?? current;
}

/** A value that the agent no longer offers is none to go back to: what runs stays then. */
function initialOf(setting: SessionSetting | undefined, initial: string | boolean | undefined) {
  const { available = [], current } = setting ?? {};
  const isOffered =
    typeof initial !== "string" || available.length === 0 || available.includes(initial);
  return isOffered ? initial : current;
}

/**
 * Brings a session's settings to `wanted`, and gives the names of those that the agent would not take.
 *
 * @throws RpcError when the agent does not know the session.
 */
export async function applySettings(
  agent: Agent,
  attached: Attached,
  wanted: Settings,
  host: {
    record(event: EventBody): void;
    onFailure(what: string, error: unknown): string;
  },
): Promise<readonly string[]> {
  const failed: string[] = [];
  attached.isSettling = true;
  try {
    for (const [name, value] of inOrder(wanted)) {
      const setting = attached.settings.get(name);
      if (setting?.current === value) continue;
      try {
        await within(SETTING_TIMEOUT_MS, change(agent, attached.session, name, setting, value));
        const after = attached.settings.get(name) ?? { available: [] };
        attached.settings.set(name, { ...after, current: value });
        if (name === "mode") host.record({ kind: "config", mode: String(value) });
      } catch (error) {
        if (isSessionNotFound(error)) throw error;
        failed.push(name);
        const ref = host.onFailure(`set ${name}`, error);
        const text = `The ${name} could not be changed to ${value} (ref ${ref}).`;
        host.record({ kind: "notice", level: "warning", text });
      }
    }
  } finally {
    attached.isSettling = false;
    attached.settled = currentSettings(attached.settings);
  }
  return failed;
}

/** Which levels of thinking there are depends on the model: it comes first. */
function inOrder(wanted: Settings): [string, string | boolean][] {
  return Object.entries(wanted).sort(([a], [b]) => Number(b === "model") - Number(a === "model"));
}

async function change(
  agent: Agent,
  session: string,
  name: string,
  setting: SessionSetting | undefined,
  value: string | boolean,
): Promise<void> {
  const { option, available = [] } = setting ?? {};
  if (name === "thinking" && available.length > 0 && !available.includes(String(value))) {
    throw new RangeError(`This model does not think at the level ${value}`);
  }
  if (option !== undefined) return agent.setConfigOption(session, option, value);
  if (name === "model") return agent.setModel(session, String(value));
  if (name === "mode" && agent.setMode) return agent.setMode(session, String(value));
  throw new RangeError(`The agent has no setting ${name}`);
}

/** What the agent has changed by itself since the last turn is what is wanted from now on: it is not undone. */
export async function absorbAgentChanges(
  book: SessionBook,
  agent: string,
  attached: Attached,
): Promise<void> {
  const current = currentSettings(attached.settings);
  const changed = changedSettings(attached.settled, current);
  attached.settled = current;
  if (Object.keys(changed).length === 0) return;
  await book.change((record) =>
    withWanted(record, agent, { ...record.wanted[agent], ...changed }, () => undefined),
  );
}

/** What the agent would not take is not asked for again at each turn. */
export async function forgetSettings(
  book: SessionBook,
  agent: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await book.change((record) => {
    const wanted = Object.entries(record.wanted[agent] ?? {}).filter(
      ([name]) => !names.includes(name),
    );
    return withWanted(record, agent, Object.fromEntries(wanted), () => undefined);
  });
}
