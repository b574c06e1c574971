import { createSettings, type SettingsResponse } from "@acp-kit/poe-protocol";
import type { AgentOffer, AgentOffers, ChatCommands } from "@acp-kit/relay";
import {
  OPTION_PARAMETERS,
  type Options,
  PROVIDER_MODEL_PREFIX,
  parseOptions,
} from "@acp-kit/router";
import { parseAgentChoices } from "./agent-controls.ts";
import { createOptionsPanel, type OptionsPanel } from "./options-panel.ts";
import type { PoeSurfaceBot } from "./poe-bot.ts";

/** What a bot tells Poe of itself, and what a message's parameters mean: one source for both. */
export class Panels {
  readonly #offers: AgentOffers | undefined;
  readonly #commands: ChatCommands["names"];
  /** By bot; made anew when its agent offers something else. */
  readonly #panels = new Map<
    PoeSurfaceBot,
    { offer: AgentOffer | undefined; panel: OptionsPanel }
  >();

  constructor(offers: AgentOffers | undefined, commands: ChatCommands["names"]) {
    this.#offers = offers;
    this.#commands = commands;
  }

  settingsOf(bot: PoeSurfaceBot): SettingsResponse {
    return createSettings({
      introduction_message: introduce(bot, this.#commands),
      parameter_controls: this.#panelOf(bot).controls,
    });
  }

  /**
   * What a message asks for. What it leaves alone is as the panel shows it; a model, a mode and other settings of the
   * agent's that it leaves alone are no choice, so that one made by a command stays, nor is what the panel does not list.
   *
   * @param parameters - Untrusted. What is open to the person is the router's to decide.
   */
  optionsOf(bot: PoeSurfaceBot, parameters: unknown): Options {
    const { defaults, models, choices } = this.#panelOf(bot);
    const settings = parseAgentChoices(parameters, choices);
    const options = { ...parseOptions(parameters, defaults, models), settings };
    const isChosen = hasModel(parameters) && models.includes(options.model);
    return isChosen ? options : { ...options, model: bot.defaults.model };
  }

  #panelOf(bot: PoeSurfaceBot): OptionsPanel {
    const offer = this.#offers?.of(bot.agent);
    const known = this.#panels.get(bot);
    if (known && known.offer === offer) return known.panel;
    const { pinnedModels = [], defaults } = bot.settings;
    const { models, modes, hasFixedSettings } = bot;
    const panel = createOptionsPanel({
      ...offer,
      models: (offer?.models ?? []).filter(({ id }) => models?.includes(id) ?? true),
      modes: (offer?.modes ?? []).filter(({ id }) => modes?.includes(id) ?? true),
      settings: hasFixedSettings ? [] : (offer?.settings ?? []),
      currentModel: offer?.currentModel ?? "",
      pinnedModels,
      config: defaults,
    });
    this.#panels.set(bot, { offer, panel });
    return panel;
  }
}

function hasModel(parameters: unknown): boolean {
  const names: readonly string[] = [OPTION_PARAMETERS.model, OPTION_PARAMETERS.provider];
  return (
    typeof parameters === "object" &&
    parameters !== null &&
    Object.keys(parameters).some(
      (name) => names.includes(name) || name.startsWith(PROVIDER_MODEL_PREFIX),
    )
  );
}

/** What people see before their first message. */
function introduce(
  { settings, agent, workspace }: PoeSurfaceBot,
  commands: ChatCommands["names"],
): string {
  const others = commands.filter((name) => name !== "help" && name !== "stop");
  return (
    settings.introduction ??
    `This is ${agent} in ${workspace}. Write what you want to have done. Stop ends an answer, and so does \`!stop\`; \`!help\` says what else there is: ${others.map((name) => `\`!${name}\``).join(", ")}.`
  );
}
