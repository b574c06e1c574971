import type { Awaitable } from "../conn-options.ts";
import type { ConnIo } from "../io.ts";
import type {
  AgentInfo,
  KnownAuthMethod,
  McpCapabilities,
  PromptCapabilities,
} from "../types/initialize.ts";
import type { Meta } from "../types/meta.ts";
import type { Factory } from "./agent-session.ts";
import type { SessionStore } from "./session-store.ts";

/** What an agent takes, besides what every agent takes. */
export interface ServedCapabilities {
  /** Default: no images, no audio, embedded resources. */
  readonly promptCapabilities?: PromptCapabilities;
  /** MCP transports besides stdio. Default: none. */
  readonly mcpCapabilities?: McpCapabilities;
  /** Sessions take messages while they answer one: they have `steer`. Default: they do not. */
  readonly steering?: boolean;
  /** Extensions. */
  readonly _meta?: Meta;
}

export interface AgentAuth {
  readonly methods: readonly KnownAuthMethod[];
  /** Whether sessions are refused for now, with -32000. Default: never. */
  needed?(): Awaitable<boolean>;
  /** Does one step; what it returns becomes the answer's `_meta`. */
  authenticate(methodId: string, meta: Meta | undefined): Awaitable<Meta | undefined>;
  logout?(): Awaitable<void>;
}

export interface ServeAgentOptions {
  readonly info: AgentInfo;
  /** Builds the sessions. */
  readonly factory: Factory;
  readonly capabilities?: ServedCapabilities;
  /** Where sessions outlive the process. Default: memory, so they do not. */
  readonly store?: SessionStore;
  readonly auth?: AgentAuth;
  /** What happens to a prompt while another one of its session runs. Default `reject` (-32600). */
  readonly busy?: "reject" | "queue";
  /**
   * Says three things that ACP does not have, for a client that knows them: the option kind
   * `allow_persistent`, the stop reason `error`, and `models` beside config options. Default false.
   */
  readonly compat?: boolean;
  /** Default: stdin and stdout of this process; whatever else writes to stdout goes to stderr. */
  readonly io?: ConnIo;
  /** Ends the service. */
  readonly signal?: AbortSignal;
  /** Something failed that the client was told no more of than `Internal error`. */
  readonly onError?: (error: unknown, method: string) => void;
  /** Every message both ways. */
  readonly trace?: (direction: "in" | "out", message: object) => void;
}
