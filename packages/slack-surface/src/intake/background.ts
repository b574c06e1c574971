import { createReference } from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";

/** What goes on after something was acknowledged. What fails once it is disposed of is told to nobody. */
export class Background implements Disposable {
  readonly #workspace: Pick<SlackWorkspace, "context">;
  readonly #works = new Set<Promise<void>>();
  #isClosed = false;

  constructor(workspace: Pick<SlackWorkspace, "context">) {
    this.#workspace = workspace;
  }

  /** What fails is kept in the journal. @param what - What is being done, for the operator. */
  add(what: string, work: Promise<unknown>): void {
    const carried = this.#carry(what, work).finally(() => this.#works.delete(carried));
    this.#works.add(carried);
  }

  /** Resolves when nothing goes on. */
  async idle(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  async #carry(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#isClosed) return;
      const { journal } = this.#workspace.context;
      journal.fail({ ref: createReference(), what: `slack ${what}`, error });
    }
  }
}
