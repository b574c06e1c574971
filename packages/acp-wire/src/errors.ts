/** The error codes of JSON-RPC and ACP. @see https://agentclientprotocol.com/protocol/overview */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  /** Some agents say -32001 instead; see {@link isSessionNotFound}. */
  resourceNotFound: -32002,
} as const;

/**
 * An error that travels: a handler throws it to choose what the peer is told, and a request rejects
 * with it when the peer answered with an error. Code and data arrive as the peer sent them.
 */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  toJSON(): { code: number; message: string; data?: unknown } {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Whether an agent said that it does not know the session: -32002, or -32001 as some say. */
export function isSessionNotFound(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    (error.code === -32001 || error.code === ErrorCode.resourceNotFound)
  );
}

/** What an agent process was doing. */
export type AgentPhase = "spawn" | "initialize" | "session" | "prompt" | "idle";

/** How and why an agent process ended. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it was doing when it ended. */
  readonly phase: AgentPhase;
  /**
   * `requested`: we stopped it; `exited`: it ended by itself with code 0; `crashed`: another code
   * or a signal; `unresponsive`: it was killed because it closed its pipes, never answered
   * initialize, or did not listen any more; `spawn_failed`: it never ran.
   */
  readonly cause: "requested" | "exited" | "crashed" | "unresponsive" | "spawn_failed";
  /** The last few KiB of its stderr, for the log. Never show it in a chat. */
  readonly stderrTail: string;
}

/**
 * - `spawn_failed` the command cannot be run
 * - `initialize_failed` the agent did not come up: an error answer, a foreign version
 * - `agent_exited` the agent died; `exit` tells how
 * - `closed` the connection ended
 * - `timeout` no answer in time
 * - `aborted` the caller's signal
 * - `overflow` the peer does not read and the outbound queue is full
 * - `stalled` a write was not taken for too long
 * - `protocol` the peer answered something that cannot be used
 * - `unavailable` the agent could not be restarted in time
 */
export type WireErrorCode =
  | "spawn_failed"
  | "initialize_failed"
  | "agent_exited"
  | "closed"
  | "timeout"
  | "aborted"
  | "overflow"
  | "stalled"
  | "protocol"
  | "unavailable";

export interface WireErrorOptions {
  code: WireErrorCode;
  cause?: unknown;
  phase?: AgentPhase | undefined;
  exit?: AgentExit | undefined;
  chatText?: string | undefined;
  sent?: boolean | undefined;
}

/** What failed on this side of the wire. The peer's own errors are {@link RpcError}. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: WireErrorCode;
  readonly phase?: AgentPhase;
  readonly exit?: AgentExit;
  /** One sentence that may be shown in a chat: no path, no command, no stderr. */
  readonly chatText: string;
  /** Whether the request had been handed to the peer. False: it is safe to repeat it. */
  readonly sent: boolean;

  constructor(message: string, options: WireErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    if (options.phase !== undefined) this.phase = options.phase;
    if (options.exit !== undefined) this.exit = options.exit;
    this.chatText = options.chatText ?? CHAT_TEXT[options.code];
    this.sent = options.sent ?? true;
  }

  /** The last of the agent's stderr, for the log. */
  get stderrTail(): string | undefined {
    return this.exit?.stderrTail;
  }
}

/** The same error, for what was not handed to the peer any more. */
export function asNotSent({ message, code, cause, phase, exit, chatText }: WireError): WireError {
  return new WireError(message, { code, cause, phase, exit, chatText, sent: false });
}

const CHAT_TEXT: Record<WireErrorCode, string> = {
  spawn_failed: "The agent could not be started.",
  initialize_failed: "The agent started but did not come up.",
  agent_exited: "The agent stopped unexpectedly.",
  closed: "The connection to the agent ended.",
  timeout: "The agent did not answer in time.",
  aborted: "The request was cancelled.",
  overflow: "The agent does not take any more input.",
  stalled: "The agent stopped reading its input.",
  protocol: "The agent answered in a way that this relay does not understand.",
  unavailable: "The agent is not running and could not be restarted yet.",
};
