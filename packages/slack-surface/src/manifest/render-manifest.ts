import { STOP_SHORTCUT } from "../intake/stop-shortcut.ts";
import { listNeeds, type SlackFeature, type SlackScope } from "./scopes.ts";

export type ManifestOptions = {
  /** How the app is called, at most 35 code points. */
  readonly name: string;
  /** At most 140 code points. */
  readonly description: string;
  readonly features: Iterable<SlackFeature>;
  /** Without an address, over Socket Mode. */
  readonly requestUrl?: string;
  /** With the slash in front; for the feature `slash-command`, else it is left out. */
  readonly command?: string;
};

/** What Slack calls an app manifest, as far as it is used. */
export type SlackManifest = {
  readonly display_information: { readonly name: string; readonly description: string };
  readonly features: Readonly<Record<string, unknown>>;
  readonly oauth_config: { readonly scopes: { readonly bot: readonly SlackScope[] } };
  readonly settings: Readonly<Record<string, unknown>>;
};

/**
 * The manifest from which Slack makes the app: exactly the scopes that its features need, all of them the bot's own, and
 * the events that they bring. Pure.
 *
 * The token of Socket Mode, with `connections:write`, is made by hand: no manifest asks for it.
 */
export function renderManifest(options: ManifestOptions): SlackManifest {
  const { requestUrl, command = "/agent" } = options;
  const features = new Set(options.features);
  const { scopes, events } = listNeeds(features);
  const name = cut(options.name, 35);
  const description = cut(options.description, 140);
  const url = requestUrl === undefined ? {} : { request_url: requestUrl };
  return {
    display_information: { name, description },
    features: {
      bot_user: { display_name: name, always_online: true },
      app_home: {
        home_tab_enabled: false,
        messages_tab_enabled: features.has("direct-messages"),
        messages_tab_read_only_enabled: false,
      },
      ...(features.has("agent") && { agent_view: { agent_description: description } }),
      ...(features.has("slash-command") && {
        shortcuts: [
          {
            name: "Stop the agent",
            type: "message",
            callback_id: STOP_SHORTCUT,
            description: "Ends what runs in the message's thread",
          },
        ],
        slash_commands: [
          {
            command,
            description: cut(description, 100),
            should_escape: true,
            ...(requestUrl !== undefined && { url: requestUrl }),
          },
        ],
      }),
    },
    oauth_config: { scopes: { bot: scopes } },
    settings: {
      event_subscriptions: { ...url, bot_events: events },
      interactivity: { is_enabled: true, ...url },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === undefined,
      token_rotation_enabled: false,
    },
  };
}

function cut(text: string, maxCodePoints: number): string {
  return [...text].slice(0, maxCodePoints).join("");
}
