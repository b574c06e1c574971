/** Where a conversation works. */
export type Workspace = {
  readonly cwd: string;
  /** Directories beside `cwd` that the agent may use. */
  readonly roots: readonly string[];
  /**
   * Where files that come with messages are kept: outside of every checkout, and below `<stateDir>/files`, where they
   * are removed once their time is over.
   */
  readonly filesDir: string;
  /** For agents that cannot open what is in `filesDir`. Absent: each can. */
  readonly lending?: FileLending;
  /** Removes what was ever lent of messages' files. Never rejects. @param directories - Of messages, by name in `filesDir`. */
  readonly takeBack?: (directories: readonly string[]) => Promise<void>;
  /** One running turn at a time among all conversations with the same `exclusive` value. */
  readonly exclusive?: string;
  /** What people call it. */
  readonly name?: string;
  /** What the person of the turn is told of it, a line each. */
  readonly notices?: readonly string[];
};

/** Puts copies of kept files where an agent can open them. */
export type FileLending = {
  /** The agent can never open `filesDir`. Otherwise it can once it is told of it as an additional directory. */
  readonly isAlwaysNeeded: boolean;
  /** @param paths - Absolute, in `filesDir`: a directory per message, files in it. */
  lend(paths: readonly string[]): Promise<LendResult>;
};

/** Paths of the copies by those of the originals, or one sentence for the chat. */
export type LendResult =
  | { readonly kind: "lent"; readonly copies: ReadonlyMap<string, string> }
  | { readonly kind: "refused"; readonly message: string };

/** A turn that is about to start, for who makes its workspace ready. */
export type WorkspaceTurn = {
  readonly user: string;
  /** Aborted when the turn ends. */
  readonly signal: AbortSignal;
  /** To be called before something that takes long. */
  preparing(): void;
};

/** Whose turn works in a workspace. */
export type WorkspaceHolder = {
  readonly user: string;
  /** Known to the process that runs the turn only. */
  readonly conversation?: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
};
