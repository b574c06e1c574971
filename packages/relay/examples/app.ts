import { pathOf, type RelaySurface, runRelay, type SurfaceContext } from "@acp-kit/relay";

/** A surface that only tells people what they may do. A real one hands their messages to `router`. */
function createGreeter({ bots, people }: SurfaceContext): RelaySurface {
  return {
    fetch(request) {
      const bot = bots.find(({ settings }) => pathOf(settings) === new URL(request.url).pathname);
      if (!bot) return new Response("not found", { status: 404 });
      const user = request.headers.get("x-user") ?? "";
      const admission = people.admit({ surface: "poe", bot: bot.name, user });
      return new Response(admission.kind === "admitted" ? admission.role : admission.text);
    },
    async drain() {},
  };
}

process.exitCode = await runRelay(
  {
    name: "greeter",
    version: "1.0.0",
    description: "Greets people.",
    surfaceName: "poe",
    demoAgent: ["cat"],
    createSurface: createGreeter,
  },
  process.argv.slice(2),
  process.env,
  process,
);
