import type {
  BotHealth,
  CreateSurface,
  RelaySurface,
  SlackBot,
  SurfaceBot,
  SurfaceContext,
} from "@acp-kit/relay";
import { RunningBot } from "./bot.ts";
import { type Clock, systemClock } from "./budget/clock.ts";
import type { SlackRenderer } from "./slack-part.ts";

export type SlackSurfaceOptions = {
  /** The markup of the app. */
  readonly renderer: SlackRenderer;
  /** Default: the system's. */
  readonly clock?: Clock;
};

/** Slack as a surface of the relay; `slackTables` has to be among the tables of its database. */
export function createSlackSurface(options: SlackSurfaceOptions): CreateSurface {
  return (context) => new SlackSurface(context, options);
}

class SlackSurface implements RelaySurface {
  readonly #bots: readonly RunningBot[];
  /** By the path that the platform sends requests to. */
  readonly #paths = new Map<string, RunningBot>();

  constructor(context: SurfaceContext, { renderer, clock = systemClock }: SlackSurfaceOptions) {
    const bots: RunningBot[] = [];
    for (const bot of context.bots) {
      if (!isSlackBot(bot)) continue;
      const running = new RunningBot({ context, bot, renderer, clock });
      bots.push(running);
      const { transport } = bot.settings;
      if (transport.kind === "http") this.#paths.set(transport.path, running);
    }
    this.#bots = bots;
  }

  async fetch(request: Request): Promise<Response> {
    const bot = this.#paths.get(new URL(request.url).pathname);
    if (!bot) return new Response("not found\n", { status: 404 });
    return await bot.fetch(request);
  }

  async resume(): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.start()));
  }

  health(): readonly BotHealth[] {
    return this.#bots.map(({ health }) => health);
  }

  async retire(): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.retire()));
  }

  async drain(seal: AbortSignal): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.drain(seal)));
  }
}

function isSlackBot(bot: SurfaceBot): bot is SurfaceBot<SlackBot> {
  return bot.settings.surface === "slack";
}
