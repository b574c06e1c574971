import { PoeProtocolError } from "./errors.ts";

/** What a bot may choose. Defaults in brackets are ours, and are always sent. */
export type SettingsOptions = {
  /** [true] */
  allow_attachments?: boolean;
  /** Whether Poe sends the text of text files and PDFs along. [as `allow_attachments`] */
  expand_text_attachments?: boolean;
  /** [""] */
  introduction_message?: string;
  /** Lets Poe describe images as text, and then allows one image per message. [false] */
  enable_image_comprehension?: boolean;
  /** Lets Poe merge a chat of several people or bots into one prompt. [false] */
  enable_multi_entity_prompting?: boolean;
  /** [false] */
  enforce_author_role_alternation?: boolean;
  /** Other bots that this one calls, with calls per user message. */
  server_bot_dependencies?: Readonly<Record<string, number>>;
};

export type SettingsResponse = Required<Omit<SettingsOptions, "server_bot_dependencies">> &
  Pick<SettingsOptions, "server_bot_dependencies"> & {
    /** Left out, Poe falls back to the defaults of version 0. */
    response_version: 2;
  };

/**
 * The answer to a `settings` request. It leaves no setting to Poe's defaults, which have changed
 * between versions.
 *
 * @throws PoeProtocolError `bad-settings` for an unknown setting or a wrong type: Poe would answer
 * 200 and drop it in silence
 */
export function createSettings(options: SettingsOptions = {}): SettingsResponse {
  for (const [name, value] of Object.entries(options)) checkSetting(name, value);
  const attachments = options.allow_attachments ?? true;
  const settings: SettingsResponse = {
    response_version: 2,
    allow_attachments: attachments,
    expand_text_attachments: options.expand_text_attachments ?? attachments,
    introduction_message: options.introduction_message ?? "",
    enable_image_comprehension: options.enable_image_comprehension ?? false,
    enable_multi_entity_prompting: options.enable_multi_entity_prompting ?? false,
    enforce_author_role_alternation: options.enforce_author_role_alternation ?? false,
  };
  if (options.server_bot_dependencies !== undefined) {
    settings.server_bot_dependencies = options.server_bot_dependencies;
  }
  return settings;
}

const isBoolean = (value: unknown) => typeof value === "boolean";

const SETTINGS: ReadonlyMap<string, (value: unknown) => boolean> = new Map<
  keyof SettingsOptions,
  (value: unknown) => boolean
>([
  ["allow_attachments", isBoolean],
  ["expand_text_attachments", isBoolean],
  ["introduction_message", (value) => typeof value === "string"],
  ["enable_image_comprehension", isBoolean],
  ["enable_multi_entity_prompting", isBoolean],
  ["enforce_author_role_alternation", isBoolean],
  ["server_bot_dependencies", isCallCounts],
]);

function isCallCounts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((calls) => Number.isSafeInteger(calls) && calls >= 0);
}

function checkSetting(name: string, value: unknown): void {
  const accepts = SETTINGS.get(name);
  if (value === undefined && accepts !== undefined) return;
  if (accepts?.(value)) return;
  const what = accepts === undefined ? "is not one that Poe knows" : "has the wrong type";
  throw new PoeProtocolError(`Poe setting "${name}" ${what}`, { code: "bad-settings" });
}
