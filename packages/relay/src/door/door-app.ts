import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Fetch } from "../listener.ts";
import type { Log } from "../log.ts";
import {
  DOOR_TOOLS,
  type DoorInput,
  type DoorReply,
  type DoorTool,
  doorTools,
  MAX_REQUEST_BYTES,
} from "./door-contract.ts";
import type { DoorSession } from "./door-tokens.ts";

/** What each tool does in a session; one that is absent is not offered. */
export type DoorActions = {
  readonly [Tool in DoorTool]?: (
    session: DoorSession,
    input: DoorInput<Tool>,
  ) => Promise<DoorReply>;
};

export type DoorAppOptions = {
  readonly find: (token: string) => DoorSession | undefined;
  readonly actions: DoorActions;
  readonly log: Log;
};

/** Calls of one session that may be open at a time. */
const MAX_OPEN_CALLS = 8;

/** The relay's side of the door: `POST /TOOL` with a session's token. */
export function createDoorApp({ find, actions, log }: DoorAppOptions): Fetch {
  const open = new Map<string, number>();
  const app = new Hono<{ Variables: { session: DoorSession } }>();
  app.notFound((context) => context.text("not found\n", 404));
  app.onError((err, context) => {
    log.error({ err, path: context.req.path }, "a tool of an agent failed");
    return context.json(failure("The relay could not do that."));
  });
  app.use(async (context, next): Promise<Response | undefined> => {
    const token = /^Bearer (\S+)$/.exec(context.req.header("authorization") ?? "")?.[1];
    const session = token === undefined ? undefined : find(token);
    if (!session) return context.text("unauthorized\n", 401);
    const calls = open.get(session.conversation) ?? 0;
    if (calls >= MAX_OPEN_CALLS) return context.json(failure("Too many calls at once."));
    open.set(session.conversation, calls + 1);
    context.set("session", session);
    try {
      await next();
    } finally {
      const left = (open.get(session.conversation) ?? 1) - 1;
      if (left > 0) open.set(session.conversation, left);
      else open.delete(session.conversation);
    }
    return undefined;
  });
  app.use(bodyLimit({ maxSize: MAX_REQUEST_BYTES }));
  for (const tool of DOOR_TOOLS) {
    const action = actions[tool];
    if (!action) continue;
    app.post(`/${tool}`, async (context) => {
      const body: unknown = await context.req.json().catch(() => undefined);
      const parsed = doorTools[tool].input.safeParse(body);
      if (!parsed.success) {
        const where = parsed.error.issues.map(
          ({ path, message }) => `${path.join(".")}: ${message}`,
        );
        return context.json(failure(`That is not what ${tool} takes (${where.join("; ")}).`));
      }
      // What was parsed is what this very tool takes.
      const run = action as (session: DoorSession, input: unknown) => Promise<DoorReply>;
      return context.json(await run(context.get("session"), parsed.data));
    });
  }
  return (request, env) => app.fetch(request, env);
}

function failure(text: string): DoorReply {
  return { text, isError: true };
}
