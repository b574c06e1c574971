import { asFields, asFieldsList, asText, type Fields } from "./fields.ts";

/** Values by the setting's name: `model`, `mode`, `thinking`, or the id of another config option. */
export type Settings = Readonly<Record<string, string | boolean>>;

/** A setting of a session, as the agent described it. */
export type SessionSetting = {
  /** The config option's id; absent where the agent has a method of its own for it. */
  readonly option?: string;
  readonly current?: string | boolean;
  /** What people call the setting, where the agent gives it another name than its id. */
  readonly label?: string;
  /** Values that can be chosen, in the agent's order; empty when it does not say. */
  readonly available: readonly string[];
  /** What people call those of them that the agent gives another name than their value. */
  readonly names?: Readonly<Record<string, string>>;
};

/** What an agent says of its settings when a session is opened, or in an update. */
export type SettingsSource = {
  readonly configOptions?: unknown;
  readonly models?: unknown;
  readonly modes?: unknown;
};

/**
 * The settings of a session by name. A config option wins over the older lists of models and modes, which some agents
 * still send beside it.
 */
export function readSettings(source: SettingsSource): Map<string, SessionSetting> {
  const settings = new Map<string, SessionSetting>();
  for (const option of asFieldsList(source.configOptions)) {
    const id = asText(option["id"]);
    if (id === undefined) continue;
    const name = nameOf(id, asText(option["category"]));
    if (settings.has(name)) continue;
    const current = option["currentValue"];
    const isKnown = typeof current === "string" || typeof current === "boolean";
    const label = asText(option["name"]) ?? id;
    settings.set(name, {
      option: id,
      ...(label !== id && { label }),
      ...listed(asFieldsList(option["options"]).flatMap(readChoices)),
      ...(isKnown && { current }),
    });
  }
  addOlder(settings, "model", source.models, "currentModelId", "availableModels", "modelId");
  addOlder(settings, "mode", source.modes, "currentModeId", "availableModes", "id");
  return settings;
}

function nameOf(id: string, category: string | undefined): string {
  if (category === "model" || category === "mode") return category;
  if (category === "thought_level" || id === "thinking_level") return "thinking";
  return id;
}

function addOlder(
  settings: Map<string, SessionSetting>,
  name: string,
  source: unknown,
  currentKey: string,
  listKey: string,
  idKey: string,
): void {
  const fields = asFields(source);
  if (!fields || settings.has(name)) return;
  const current = asText(fields[currentKey]);
  settings.set(name, {
    ...listed(asFieldsList(fields[listKey]).flatMap((item) => readChoice(item, idKey))),
    ...(current !== undefined && { current }),
  });
}

/** A choice, or a group of choices. */
function readChoices(item: Fields): ListedValue[] {
  const group = asFieldsList(item["options"]);
  return (group.length > 0 ? group : [item]).flatMap((choice) => readChoice(choice, "value"));
}

type ListedValue = readonly [value: string, name: string];

function readChoice(item: Fields, key: string): ListedValue[] {
  const value = asText(item[key]);
  return value === undefined ? [] : [[value, asText(item["name"]) ?? value]];
}

function listed(values: readonly ListedValue[]): Pick<SessionSetting, "available" | "names"> {
  const named = values.filter(([value, name]) => name !== value);
  return {
    available: values.map(([value]) => value),
    ...(named.length > 0 && { names: Object.fromEntries(named) }),
  };
}

/** Longest name and value of a setting that a person may choose, in characters, and most of them at a time. */
const MAX_CHARS = 100;
const MAX_CHOICES = 16;

/** What came from outside, without what is too long to be a setting of any agent. */
export function boundedSettings(settings: Settings): Settings {
  const fits = ([name, value]: [string, string | boolean]) =>
    name.length <= MAX_CHARS && String(value).length <= MAX_CHARS;
  return Object.fromEntries(Object.entries(settings).filter(fits).slice(0, MAX_CHOICES));
}

/** The current values, of those settings that tell them. */
export function currentSettings(settings: ReadonlyMap<string, SessionSetting>): Settings {
  return Object.fromEntries(
    [...settings].flatMap(([name, { current }]) =>
      current === undefined ? [] : [[name, current]],
    ),
  );
}

/** Values of `after` that `before` does not have. */
export function changedSettings(before: Settings, after: Settings): Settings {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => before[name] !== value),
  );
}

/**
 * What is wanted once a message has come. The newest choice wins: a value that came with the message counts as one only
 * where it differs from what came with the same person's last message.
 *
 * @param last - What came with the person's last message; absent for their first one, whose values count where nothing
 * was chosen yet or they are not the defaults.
 */
export function chooseNewest(
  wanted: Settings,
  last: Settings | undefined,
  sent: Settings,
  defaults: Settings,
): Settings {
  const chosen = Object.entries(sent).filter(([name, value]) => {
    if (value === "") return false;
    if (last) return last[name] !== value;
    return wanted[name] === undefined || defaults[name] !== value;
  });
  return { ...wanted, ...Object.fromEntries(chosen) };
}

/** What runs for a person, and what of the wish is not open to them. */
export type Permitted =
  | { readonly kind: "as-wanted"; readonly value: string | boolean | undefined }
  | {
      readonly kind: "instead";
      readonly value: string | boolean;
      readonly refused: string | boolean;
    }
  /** Nothing that the agent offers is open to them. */
  | { readonly kind: "nothing" };

/**
 * The value of a setting that a person's turn may run with: what is wanted, else what runs, else the default, else what
 * the session began with, else the first one offered that is open to them.
 *
 * @param wanted - Absent: leave it as it is.
 * @param preset - The operator's default, if there is one.
 */
export function permitSetting(
  setting: SessionSetting | undefined,
  wanted: string | boolean | undefined,
  preset: string | undefined,
  initial: string | boolean | undefined,
  isOpen: (value: string | boolean) => boolean,
): Permitted {
  const current = setting?.current;
  const wish = wanted ?? current;
  if (wish === undefined || isOpen(wish)) return { kind: "as-wanted", value: wanted };
  const offered =
    typeof wish === "boolean" ? [!wish] : [current, preset, initial, ...(setting?.available ?? [])];
  const open = offered.find(
    (value) => value !== undefined && value !== "" && value !== wish && isOpen(value),
  );
  return open === undefined ? { kind: "nothing" } : { kind: "instead", value: open, refused: wish };
}
