import { createReference } from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";

/** What goes on after something was acknowledged. */
export class Background {
  readonly #workspace: Pick<SlackWorkspace, "context">;
  readonly #works = new Set<Promise<void>>();

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

  async #carry(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { journal } = this.#workspace.context;
      journal.fail({ ref: createReference(), what: `slack ${what}`, error });
    }
  }
}
