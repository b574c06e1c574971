import type { StopTimings } from "./agent-child.ts";
import type { AgentEnvOptions } from "./agent-env.ts";
import type { ClientCapabilities, Implementation } from "./types/initialize.ts";
import type { McpServer } from "./types/session.ts";
import type { SessionUpdateParams } from "./types/update.ts";

export interface AgentOptions extends AgentEnvOptions {
  /** The program and its arguments; no shell looks at them. */
  command: readonly string[];
  /** Where the process starts. Sessions have their own directory. */
  cwd?: string | undefined;
  clientInfo: Implementation;
  /** What this client offers. Default: nothing. */
  clientCapabilities?: ClientCapabilities | undefined;
  /** MCP servers for each session that is opened. Default: none. */
  mcpServers?: ((cwd: string) => readonly McpServer[]) | undefined;
  /** How long the agent may take to come up. Default 30,000; a cold `npx` needs more. */
  initializeTimeoutMs?: number | undefined;
  stopTimings?: StopTimings | undefined;
  /** Longest accepted line in bytes. Default 32 MiB. */
  maxLineBytes?: number | undefined;
  /** A line of stdout that is no message. */
  onNoise?: ((line: string) => void) | undefined;
  /** A line above `maxLineBytes`, by its first 256 bytes. */
  onOversize?: ((start: string) => void) | undefined;
  /** A line of the agent's stderr. It may hold anything: it is for a log, never for a chat. */
  onStderr?: ((line: string) => void) | undefined;
  /** Something of ours threw while it took an update or a question. */
  onClientError?: ((error: unknown, method: string) => void) | undefined;
  /** An update of a session that nobody listens to (any more). */
  onStrayUpdate?: ((params: SessionUpdateParams) => void) | undefined;
  /** Said once per agent: something it lacks that matters to an operator. */
  onWarning?: ((message: string) => void) | undefined;
  /** Every message both ways. */
  trace?: ((direction: "in" | "out", message: object) => void) | undefined;
}
