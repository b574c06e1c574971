import type { Awaitable } from "../conn-options.ts";
import type { ContentBlock } from "../types/content.ts";
import type { ClientCapabilities } from "../types/initialize.ts";
import type { Meta } from "../types/meta.ts";
import type {
  KnownConfigOption,
  KnownStopReason,
  SessionModelState,
  SessionModeState,
} from "../types/session.ts";
import type { SessionUpdate } from "../types/update.ts";
import type { McpServerSpec } from "./mcp-server.ts";
import type { PromptTurn } from "./prompt-turn.ts";
import type { SessionSink } from "./session-sink.ts";

/** Everything that is needed to build one session. */
export interface SessionParams {
  readonly sessionId: string;
  /** Absolute and normalized. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServerSpec[];
  /**
   * For updates that belong to no prompt. What is sent before the session is open leaves behind the
   * answer that tells its id, so that no client misses it.
   */
  readonly sink: SessionSink;
  readonly opened: "new" | "load" | "resume";
  /** What was said so far, for a session that comes back. */
  readonly history: readonly SessionUpdate[];
  /** What `snapshot` returned when the session was saved last. */
  readonly state: unknown;
  readonly clientCapabilities: ClientCapabilities;
  /** The request's own `_meta`. */
  readonly meta: Meta | undefined;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** Builds sessions: the part of an agent that knows what its sessions do. */
export interface Factory {
  newSession(params: SessionParams): Awaitable<AgentSession>;
}

/** Why a turn ended. `error` is told as a JSON-RPC error, and as a stop reason in compat mode. */
export type TurnEnd = KnownStopReason | "error";

/** How a prompt ended, where `end_turn` is not all there is to say. */
export interface PromptOutcome {
  readonly stopReason?: TurnEnd;
  readonly usage?: unknown;
  readonly meta?: Meta;
}

/** A message for the prompt that is being answered. */
export interface Steer {
  readonly blocks: readonly ContentBlock[];
  /** The message as one text; see `flattenPrompt`. */
  readonly text: string;
}

/**
 * One session of an agent. Its settings are read when a client opens the session, and after each
 * change. `configOptions` with the categories `mode` and `model` also serve clients that know only
 * `session/set_mode` and `session/set_model`.
 */
export interface AgentSession {
  readonly modes?: SessionModeState | undefined;
  /** For clients that take models from here, as before config options. Sent in compat mode only. */
  readonly models?: SessionModelState | undefined;
  readonly configOptions?: readonly KnownConfigOption[] | undefined;
  /**
   * Answers one prompt. Nothing or a reason without more means that the turn ended so; a turn whose
   * signal aborted ends as `cancelled` whatever this returns or throws.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the usual one
  prompt(turn: PromptTurn): Awaitable<TurnEnd | PromptOutcome | void>;
  /**
   * Takes another message while a prompt is answered; false leaves it for the next prompt. Asked only while one is, and
   * only of an agent that says in its capabilities that it can.
   */
  steer?(steer: Steer): Awaitable<boolean>;
  setMode?(modeId: string): Awaitable<void>;
  setModel?(modelId: string): Awaitable<void>;
  setConfigOption?(configId: string, value: string | boolean): Awaitable<void>;
  /** What must be kept besides the transcript: anything that JSON holds. */
  snapshot?(): Awaitable<unknown>;
  /** Frees what the session holds. Its turns have ended. */
  close?(why: "closed" | "deleted" | "shutdown"): Awaitable<void>;
}
