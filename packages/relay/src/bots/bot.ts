import type { PoeBotConfig, SlackBotConfig } from "../config/bot-schema.ts";

/** A bot on Poe, with its keys: at least one. */
export type PoeBot = PoeBotConfig;

/** A bot on Slack, with all that it needs to be one. */
export type SlackBot = Omit<SlackBotConfig, SlackSecretKey | "path" | "apiUrl"> & {
  readonly botToken: string;
  readonly transport: SlackTransport;
  /** Its Web API, with a slash at the end; absent: Slack's own. */
  readonly apiUrl?: string;
};

type SlackSecretKey = "botToken" | "appToken" | "signingSecret";

/** How events come in: over sockets that the relay opens, or as requests to its public listener. */
export type SlackTransport =
  | { readonly kind: "socket"; readonly appToken: string }
  | { readonly kind: "http"; readonly signingSecret: string; readonly path: string };

export type Bot = PoeBot | SlackBot;

/** Bots with their names in the configuration. */
export type Named<Value> = readonly (readonly [name: string, bot: Value])[];

/** The path of the public listener where a bot is asked; `undefined` when nobody asks it there. */
export function pathOf(bot: Bot): string | undefined {
  if (bot.surface === "poe") return bot.path;
  return bot.transport.kind === "http" ? bot.transport.path : undefined;
}
