/**
 * What kept a relay from starting or running.
 *
 * - `config`: a setting, a file of settings or a secret is wrong or missing
 * - `port_taken`: another process listens where this one should
 * - `listen_failed`: the system refused the address for another reason
 * - `state_dir`: the state directory cannot be used safely
 * - `state_dir_in_use`: another process of the same instance runs
 * - `store`: what the relay keeps cannot be opened, copied or restored
 * - `workspace`: a workspace's directory is missing or may not be used
 * - `git`: git failed in a workspace
 * - `home`: a person's home for an agent cannot be used safely
 * - `agents_busy`: every process that an agent may have is in use
 */
export type RelayErrorCode =
  | "config"
  | "port_taken"
  | "listen_failed"
  | "state_dir"
  | "state_dir_in_use"
  | "store"
  | "workspace"
  | "git"
  | "home"
  | "agents_busy";

/** An error whose message is one line for the operator: what, where, and the cure. */
export class RelayError extends Error {
  readonly code: RelayErrorCode;
  /** One sentence that may be shown in a chat: no path, no output of a program. */
  readonly chatText: string | undefined;

  constructor(
    message: string,
    { code, cause, chatText }: { code: RelayErrorCode; cause?: unknown; chatText?: string },
  ) {
    super(message, { cause });
    this.name = "RelayError";
    this.code = code;
    this.chatText = chatText;
  }
}

/** What an operator should be told, one line each. */
export function describeForOperator(error: RelayError): readonly string[] {
  return error instanceof ConfigError ? error.problems : [error.message];
}

/** A wrong or missing setting. `problems` has every one that was found, one line each; the message is the first. */
export class ConfigError extends RelayError {
  readonly problems: readonly string[];

  constructor(problems: readonly [string, ...string[]], options?: ErrorOptions) {
    const more = problems.length - 1;
    super(more === 0 ? problems[0] : `${problems[0]} (and ${more} more)`, {
      code: "config",
      cause: options?.cause,
    });
    this.name = "ConfigError";
    this.problems = problems;
  }
}
