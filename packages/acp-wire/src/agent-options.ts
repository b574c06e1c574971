import type { StopTimings } from "./agent-child.ts";
import type { AgentEnvOptions } from "./agent-env.ts";
import type { SilenceLimits } from "./liveness.ts";
import type { PathMapping } from "./path-map.ts";
import type { ClientCapabilities, Implementation } from "./types/initialize.ts";
import type { McpServer } from "./types/session.ts";
import type { SessionUpdateParams } from "./types/update.ts";

export interface AgentOptions extends AgentEnvOptions {
  /** The program and its arguments; no shell looks at them. */
  command: readonly string[];
  /** Where the process starts. Sessions have their own directory. */
  cwd?: string | undefined;
  /**
   * Another identity for the process: it can then not read what belongs to this one. Needs root. It
   * gets no HOME, USER, LOGNAME, SHELL or TMPDIR of the host, only those that `env` sets.
   */
  runAs?: { uid: number; gid: number } | undefined;
  /** A program that starts the agent, with its arguments: `["docker", "exec", "-i", "box"]`. */
  wrapper?: readonly string[] | undefined;
  /** Where a wrapper shows the host's directories. */
  pathMap?: readonly PathMapping[] | undefined;
  /** Ends what a wrapper started and signals do not reach: `["docker", "stop", "box"]`. */
  stopCommand?: readonly string[] | undefined;
  clientInfo: Implementation;
  /** What this client offers. Default: nothing. */
  clientCapabilities?: ClientCapabilities | undefined;
  /**
   * Lets the agent read text files of a session's directory through this client, and write them if
   * `write` is set. `roots` are more directories, for every session. Default: it may not.
   */
  files?: AgentFiles | undefined;
  /** MCP servers for each session that is opened. Default: none. */
  mcpServers?: ((cwd: string) => readonly McpServer[]) | undefined;
  /** How long the agent may take to come up. Default 30,000; a cold `npx` needs more. */
  initializeTimeoutMs?: number | undefined;
  stopTimings?: StopTimings | undefined;
  /** How long the agent may leave its input unread before a call fails. Default 60,000. */
  writeTimeoutMs?: number | undefined;
  /** How long the agent may be deaf before it is ended. */
  silence?: SilenceLimits | undefined;
  /** Longest accepted line in bytes. Default 32 MiB. */
  maxLineBytes?: number | undefined;
  /** A line of stdout that is no message. */
  onNoise?: ((line: string) => void) | undefined;
  /** A line above `maxLineBytes`, by its first 256 bytes. */
  onOversize?: ((start: string) => void) | undefined;
  /**
   * A line of the agent's stderr, without the values of variables that look secret (`…KEY`, `…TOKEN`).
   * It may hold anything else: it is for a log, never for a chat.
   */
  onStderr?: ((line: string) => void) | undefined;
  /** Something of ours threw while it took an update or a question. */
  onClientError?: ((error: unknown, method: string) => void) | undefined;
  /** An update of a session that nobody listens to (any more). */
  onStrayUpdate?: ((params: SessionUpdateParams) => void) | undefined;
  /** Something about the agent that matters to an operator: what it lacks, said once, or that it hangs. */
  onWarning?: ((message: string) => void) | undefined;
  /** Every message both ways. */
  trace?: ((direction: "in" | "out", message: object) => void) | undefined;
}

export interface AgentFiles {
  write?: boolean | undefined;
  roots?: readonly string[] | undefined;
  /** Longest file that is read, in bytes. Default 10 MiB. */
  maxReadBytes?: number | undefined;
}
