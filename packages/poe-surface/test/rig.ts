import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type AccessRule,
  createAccess,
  createLog,
  formatConversationKey,
  Redactor,
  type RelaySurface,
  type SurfaceBot,
} from "@acp-kit/relay";
import {
  type Agent,
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  MemoryStore,
  type Router,
} from "@acp-kit/router";
import { createPoeDriver, createPoeId, type PoeDriver, type PoeQuery } from "@acp-kit/testkit";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { createPoeSurface, type ResponseLimits } from "../src/index.ts";
import { GatedAgent } from "./gated-agent.ts";
import { plainRenderer } from "./plain-renderer.ts";

export const KEY = "k".repeat(32);

export type RigOptions<A extends Agent> = {
  readonly agent?: A;
  readonly limits?: Partial<ResponseLimits>;
  readonly access?: readonly AccessRule[];
};

/** Text goes out at once, and nothing waits for minutes. */
const QUICK: Partial<ResponseLimits> = { flushPeriodMs: 0 };

/** The surface over a real router and a real server on loopback. */
export class Rig<A extends Agent = GatedAgent> implements AsyncDisposable {
  readonly agent: A;
  readonly router: Router;
  readonly surface: RelaySurface;
  readonly conversation = createPoeId("c");
  readonly user = createPoeId("u");
  readonly lines: string[] = [];
  readonly #directory = mkdtempSync(path.join(tmpdir(), "poe-surface-"));
  readonly #server;
  #driver: PoeDriver | undefined;

  constructor({ agent, limits, access }: RigOptions<A>) {
    this.agent = agent ?? (new GatedAgent() as Agent as A);
    const rules = createAccess(access ?? [{ users: ["*"], role: "user" }]);
    this.router = createRouter({
      agent: this.agent,
      store: new MemoryStore(),
      stateDir: this.#directory,
      cancelGraceMs: 500,
      roleOf: (user) => rules.roleOf({ bot: "shop", user }),
    });
    this.surface = createPoeSurface({
      renderer: plainRenderer,
      limits: { ...QUICK, ...limits },
    })({
      bots: [bot],
      router: this.router,
      access: rules,
      now: Date.now,
      log: createLog({
        level: "debug",
        redactor: new Redactor(),
        write: (line) => this.lines.push(line),
      }),
    });
    this.#server = createServer(
      getRequestListener((request, env) => this.surface.fetch(request, env as HttpBindings)),
    );
  }

  static async open<A extends Agent = GatedAgent>(options: RigOptions<A> = {}): Promise<Rig<A>> {
    const rig = new Rig(options);
    await new Promise<void>((resolve) => rig.#server.listen(0, "127.0.0.1", resolve));
    rig.#driver = createPoeDriver({ url: rig.url, key: KEY });
    return rig;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/poe`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get poe(): PoeDriver {
    if (!this.#driver) throw new Error("the rig is not open");
    return this.#driver;
  }

  /** A message of the rig's conversation and user. */
  ask(
    text: string,
    ids: { messageId?: string; requestId?: string; userId?: string } = {},
  ): PoeQuery {
    return this.poe.query({ text, conversation: this.conversation, userId: this.user, ...ids });
  }

  /** Asks, and waits for the whole answer; fails for whatever Poe's client would complain about. */
  async answer(...args: Parameters<Rig["ask"]>): Promise<string> {
    return finished(this.ask(...args));
  }

  get key(): string {
    return formatConversationKey({ surface: "poe", bot: "shop", id: this.conversation });
  }

  /** The log of the rig's conversation so far. */
  async events(): Promise<readonly LogEvent[]> {
    const log = this.router.log(this.key);
    const last = await log.last();
    const cursor = log.follow({ after: 0 });
    const events: LogEvent[] = [];
    while (cursor.seq < last) events.push(...((await cursor.next()) ?? []));
    await cursor[Symbol.asyncDispose]();
    return events;
  }

  /** Waits for an event of the conversation. */
  async event(is: (event: LogEvent) => boolean, after = 0): Promise<LogEvent> {
    const cursor = this.router.log(this.key).follow({ after }, AbortSignal.timeout(5_000));
    for await (const batch of cursor) {
      const found = batch.find(is);
      if (found) return found;
    }
    throw new Error("the event did not come");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.surface.drain();
    await this.router[Symbol.asyncDispose]();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The body of a response that ended as it should. */
export async function finished(query: PoeQuery): Promise<string> {
  const { how } = await query.done;
  if (how !== "done" || query.violations.length > 0) {
    throw new Error(`${how}: ${JSON.stringify(query.violations)} ${JSON.stringify(query.body())}`);
  }
  return query.body();
}

const bot: SurfaceBot = {
  name: "shop",
  settings: { surface: "poe", path: "/poe", accessKeys: [KEY], defaults: {} },
  agent: "demo",
  workspace: "shop",
  defaults: DEFAULT_OPTIONS,
};
