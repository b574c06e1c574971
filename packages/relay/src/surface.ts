import type { Options, Router } from "@acp-kit/router";
import type { HttpBindings } from "@hono/node-server";
import type { Audit } from "./audit/audit.ts";
import type { Bot } from "./bots/bot.ts";
import type { ChatCommands } from "./commands/create-chat-commands.ts";
import type { Journal } from "./journal/journal.ts";
import type { TakeLock } from "./locks.ts";
import type { Log } from "./log.ts";
import type { Notices } from "./notices/notices.ts";
import type { AgentOffers } from "./offers/agent-offers.ts";
import type { People } from "./people/people.ts";
import type { RelayDb } from "./relay-db.ts";
import type { SurfaceNotes } from "./surface-notes.ts";

/** One bot of the configuration. */
export type SurfaceBot<Settings extends Bot = Bot> = {
  /** Its name in the configuration: part of the key of each of its conversations, see `formatConversationKey`. */
  readonly name: string;
  readonly settings: Settings;
  /** Names of its agent and workspace, for what people are told. */
  readonly agent: string;
  readonly workspace: string;
  /** The models that its rules and its agent's configuration list; absent: any. */
  readonly models?: readonly string[] | undefined;
  /** The modes that its rules open to somebody; absent: any. */
  readonly modes?: readonly string[] | undefined;
  /** Nobody may choose other settings of its agent. */
  readonly hasFixedSettings?: boolean | undefined;
  /** What a prompt of this bot starts from. */
  readonly defaults: Options;
};

/** What a surface is given. Every reading of the clock goes through `now`, in milliseconds since the epoch. */
export type SurfaceContext = {
  readonly bots: readonly SurfaceBot[];
  readonly router: Router;
  readonly people: People;
  readonly commands: ChatCommands;
  /** What is known of agents without a session; absent where they are not asked. */
  readonly offers?: AgentOffers;
  readonly notes: SurfaceNotes;
  /** Hosts whose images in an agent's text may be shown as such, `*.example.org` for all below one. */
  readonly imageHosts: readonly string[];
  /** A proxy for connections of the surface's own; what it fetches goes through it as it is. Not for this machine. */
  readonly proxy?: string | undefined;
  /** The relay's database, for the surface's own tables alone: those that `RelayApp.loadTables` gave. */
  readonly db: RelayDb;
  /** Locks of the surface's own, each held by one process of this relay at a time and at most until it ends. */
  readonly takeLock: TakeLock;
  readonly log: Log;
  /** To be told of every request and event that comes in, and of what people are told by a reference. */
  readonly journal: Journal;
  /** To be told of attempts to decide what is not theirs, where people have buttons for it. */
  readonly audit?: Audit;
  readonly notices: Pick<Notices, "tell" | "addSink">;
  readonly now: () => number;
};

/** How a bot stands with its platform, for the private side. */
export type BotHealth = {
  /** Its name in the configuration. */
  readonly bot: string;
  readonly isWell: boolean;
  /** For the operator; nothing of people in it. */
  readonly text: string;
  /** Connections to the platform that bring what people write; absent where it needs none. */
  readonly connections?: number;
};

/** A chat platform, as far as the relay needs to know it. */
export interface RelaySurface {
  /** Answers a request of the public listener; 404 for a path of no bot. `env` holds Node's own request and response. */
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>;
  /** Called once, when the listeners are up: takes up what an earlier process left unfinished. */
  resume?(): Promise<void>;
  /** Asked whenever somebody looks; absent where a bot only waits to be asked. */
  health?(): readonly BotHealth[];
  /**
   * Called once when another process of this relay has taken over, before `drain`: takes nothing in any more that does not
   * come by `fetch`, and goes on showing what runs. Resolves when nothing is left; it may be drained earlier.
   */
  retire?(): Promise<void>;
  /**
   * Refuses new requests visibly from now on, lets open responses come to their end until `seal` is aborted (it may be
   * already), then ends them visibly. Resolves when none is left. Called once. The relay cuts what is still open when
   * its own bound is reached.
   */
  drain(seal: AbortSignal): Promise<void>;
}

export type CreateSurface = (context: SurfaceContext) => RelaySurface;
