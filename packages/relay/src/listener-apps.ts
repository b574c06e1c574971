import type { Router } from "@acp-kit/router";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Fetch } from "./listener.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { checkPrivateRequest, type GuardOptions } from "./private-guard.ts";
import type { BotHealth, RelaySurface } from "./surface.ts";

/** The public side: the surface's own paths and `/healthz`, which says that the process answers and nothing else. */
export function createPublicApp(surface: RelaySurface, log: Log): Fetch {
  const app = createApp(log);
  app.get("/healthz", (context) => context.text("ok\n", 200, { "cache-control": "no-store" }));
  app.all("*", (context) => surface.fetch(context.req.raw, context.env));
  return (request, env) => app.fetch(request, env);
}

export type PrivateAppOptions = {
  readonly router: Router;
  /** Of the bots that are connected to their platform. */
  readonly health?: (() => readonly BotHealth[]) | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Asked for each request on TCP; absent on a Unix socket, whose file mode is the guard. */
  readonly guard?: () => GuardOptions;
};

/** The private side, for the operator. */
export function createPrivateApp(options: PrivateAppOptions): Fetch {
  const { router, metrics, log, guard } = options;
  const health = options.health ?? (() => []);
  const app = createApp(log);
  app.use(async (context, next): Promise<Response | undefined> => {
    const refusal = guard && checkPrivateRequest(context.req.raw.headers, guard());
    if (refusal) return context.text(`${refusal.text}\n`, refusal.status);
    await next();
    context.header("cache-control", "no-store");
    return undefined;
  });
  app.get("/healthz", (context) => {
    const bots = health();
    const isWell = bots.every((bot) => bot.isWell);
    const lines = [
      `${isWell ? "ok" : "not ok"} pid=${process.pid} sessions=${router.size}`,
      ...bots.map(({ bot, text }) => `bot ${bot} ${text}`),
    ];
    return context.text(`${lines.join("\n")}\n`, isWell ? 200 : 503);
  });
  app.get("/metrics", async (context) => {
    const { text, contentType } = await metrics.format(router.size, health());
    return context.text(text, 200, { "content-type": contentType });
  });
  app.get("/debug/sessions", async (context) => {
    const sessions = [...(await router.debug())].sort((a, b) => (a.conv_id < b.conv_id ? -1 : 1));
    return context.json({ sessions, count: sessions.length });
  });
  return (request, env) => app.fetch(request, env);
}

function createApp(log: Log): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.notFound((context) => context.text("not found\n", 404));
  app.onError((error, context) => {
    log.error({ err: error, path: context.req.path }, "a request failed");
    return context.text("internal error\n", 500);
  });
  return app;
}
