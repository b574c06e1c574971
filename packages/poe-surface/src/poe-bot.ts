import type { PoeBot, SurfaceBot } from "@acp-kit/relay";

/** A bot of the configuration that is on Poe. */
export type PoeSurfaceBot = SurfaceBot<PoeBot>;

export function isPoeBot(bot: SurfaceBot): bot is PoeSurfaceBot {
  return bot.settings.surface === "poe";
}
