import { isCount, isOneOf, isRecordOf, isShape, isSwitch, isText } from "./check.ts";
import { findControlProblem } from "./control-rules.ts";
import type { ControlSection, ParameterControls } from "./controls.ts";
import { PoeProtocolError } from "./errors.ts";

/**
 * What a bot may choose. Defaults in brackets are ours, and are always sent. Left out on purpose:
 * the settings that Poe calls deprecated.
 */
export type SettingsOptions = {
  /** [2] Nothing else: Poe reads other versions with other defaults, and the oldest without controls. */
  readonly response_version?: 2;
  /** [true] */
  readonly allow_attachments?: boolean;
  /** Whether Poe sends the text of text files and PDFs along. [as `allow_attachments`] */
  readonly expand_text_attachments?: boolean;
  /** [""] */
  readonly introduction_message?: string;
  /** Lets Poe describe images as text, and then allows one image per message. [false] */
  readonly enable_image_comprehension?: boolean;
  /** Lets Poe merge a chat of several people or bots into one prompt. [false] */
  readonly enable_multi_entity_prompting?: boolean;
  /** [false] */
  readonly enforce_author_role_alternation?: boolean;
  /** Other bots that this one calls, with calls per user message. */
  readonly server_bot_dependencies?: Readonly<Record<string, number>>;
  /** What a message costs, as Markdown. `[usd_milli_cents=100]` is shown as the person's points. */
  readonly rate_card?: string;
  /** The same in a few words. */
  readonly cost_label?: string;
  readonly parameter_controls?: ParameterControls;
};

type Optional = "server_bot_dependencies" | "rate_card" | "cost_label" | "parameter_controls";

export type SettingsResponse = Required<Omit<SettingsOptions, Optional>> &
  Pick<SettingsOptions, Optional>;

/**
 * The answer to a `settings` request, and what `pushSettings` sends. It leaves no setting to Poe's
 * defaults, which have changed between versions. What it returns is a copy, and may be given back.
 *
 * @throws PoeProtocolError `bad-settings` for an unknown setting, a wrong type, or controls that
 * Poe would not show: Poe would answer 200 and drop it in silence
 * @see https://creator.poe.com/docs/updating-bot-settings
 */
export function createSettings(options: SettingsOptions = {}): SettingsResponse {
  const given = readAsJson(options) as SettingsOptions;
  const problem = isSettings(given, "settings");
  if (problem !== undefined) throw new PoeProtocolError(problem, { code: "bad-settings" });
  const attachments = given.allow_attachments ?? true;
  return {
    response_version: 2,
    allow_attachments: attachments,
    expand_text_attachments: attachments,
    introduction_message: "",
    enable_image_comprehension: false,
    enable_multi_entity_prompting: false,
    enforce_author_role_alternation: false,
    ...given,
  };
}

/**
 * Controls from their sections, checked as `createSettings` does: Poe drops the whole panel for one
 * mistake anywhere in it.
 *
 * @param sections - At least one.
 * @throws PoeProtocolError `bad-settings`, with the place and the reason
 */
export function createParameterControls(sections: readonly ControlSection[]): ParameterControls {
  const controls = readAsJson({ api_version: "2", sections }) as ParameterControls;
  const problem = findControlProblem(controls, "parameter_controls");
  if (problem !== undefined) throw new PoeProtocolError(problem, { code: "bad-settings" });
  return controls;
}

const isSettings = isShape(
  {},
  {
    response_version: isOneOf(2),
    allow_attachments: isSwitch,
    expand_text_attachments: isSwitch,
    introduction_message: isText,
    enable_image_comprehension: isSwitch,
    enable_multi_entity_prompting: isSwitch,
    enforce_author_role_alternation: isSwitch,
    server_bot_dependencies: isRecordOf(isCount),
    rate_card: isText,
    cost_label: isText,
    parameter_controls: findControlProblem,
  },
);

/** What Poe will read is what has to be checked: `NaN` is null by then, and a `Map` is empty. */
function readAsJson(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new PoeProtocolError("Poe settings cannot be written as JSON", {
      code: "bad-settings",
      cause,
    });
  }
}
