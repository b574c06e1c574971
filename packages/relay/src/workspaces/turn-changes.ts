import type { RouterConfig } from "@acp-kit/router";
import { findCheckout, type Git } from "../git/git.ts";
import { writeSnapshot } from "../git/snapshot.ts";

/** The files of a conversation's directory before and behind its last turn, as trees of its repository. */
export type TurnTrees = {
  readonly directory: string;
  readonly before: string;
  readonly after: string;
};

/** How long a turn waits for the note of how things are, at its start and at its end, in milliseconds. */
const NOTE_MS = 2_000;

/** Conversations whose last turn is remembered. */
const MAX_CONVERSATIONS = 500;

type Lock = NonNullable<RouterConfig["lockWorkspace"]>;

/**
 * Notes how the files of a checkout are when a turn begins to work there and when it ends. Kept in memory: after a restart
 * nobody knows what the last turn changed.
 */
export class TurnChanges implements AsyncDisposable {
  readonly #gitOf: (conversation: string) => Promise<Git>;
  readonly #trees = new Map<string, TurnTrees>();
  readonly #ending = new Set<Promise<void>>();

  constructor(gitOf: (conversation: string) => Promise<Git>) {
    this.#gitOf = gitOf;
  }

  /** What the conversation's last turn has left. `undefined`: nobody knows. */
  of(conversation: string): TurnTrees | undefined {
    return this.#trees.get(conversation);
  }

  /** A lock whose holder's changes are noted. Nobody else gets in before that is done. */
  around(lock: Lock): Lock {
    return async (directory, signal, holder, onBusy) => {
      const release = await lock(directory, signal, holder, onBusy);
      const { conversation } = holder;
      if (conversation === undefined) return release;
      this.#trees.delete(conversation);
      const before = await this.#note(conversation, directory);
      if (before === undefined) return release;
      return () => {
        const ending = this.#end(conversation, directory, before).finally(() => {
          release();
          this.#ending.delete(ending);
        });
        this.#ending.add(ending);
      };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ending);
  }

  async #end(conversation: string, directory: string, before: string): Promise<void> {
    const after = await this.#note(conversation, directory);
    if (after === undefined) return;
    this.#trees.set(conversation, { directory, before, after });
    const [oldest] = this.#trees.keys();
    if (this.#trees.size > MAX_CONVERSATIONS && oldest !== undefined) this.#trees.delete(oldest);
  }

  /** `undefined`: it is no checkout, or too large to be looked at in time. */
  async #note(conversation: string, directory: string): Promise<string | undefined> {
    if ((await findCheckout(directory)) === undefined) return undefined;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), NOTE_MS);
    const note = this.#gitOf(conversation)
      .then((git) => writeSnapshot(git, directory))
      .then(
        ({ tree, leftOut }) => (leftOut === 0 ? tree : undefined),
        () => undefined,
      );
    try {
      return await Promise.race([note, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
