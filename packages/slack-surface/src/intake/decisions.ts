import { mayDecide, type OpenTurn, type Posted, type Role } from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";

/** Somebody who wants to decide about a turn, and by what. */
export type Decider = {
  readonly user: string;
  readonly role: Role;
  /** Of the message or click: the same again decides nothing again. */
  readonly key: string;
};

/** What people decide about turns: that they end, and what their questions are answered. */
export class Decisions {
  readonly #workspace: Pick<SlackWorkspace, "context" | "open">;

  constructor(workspace: Pick<SlackWorkspace, "context" | "open">) {
    this.#workspace = workspace;
  }

  /**
   * Ends a turn: this one, or else the first that is this person's to end. What runs goes before what waits.
   *
   * @param turn - Absent: whichever.
   */
  async stop(
    conversation: string,
    { user, role, key }: Decider,
    turn?: string,
  ): Promise<
    { readonly kind: "stopped"; readonly turn: string } | { readonly kind: "none" | "not-theirs" }
  > {
    const { router } = this.#workspace.context;
    const open = await router.openTurns(conversation);
    const meant = turn === undefined ? open : open.filter((one) => one.turn === turn);
    if (meant.length === 0) return { kind: "none" };
    const theirs = meant.find(({ who }) => mayDecide(user, who, role));
    if (!theirs) return { kind: "not-theirs" };
    const posted = await this.#cancel(conversation, theirs.turn, user, key);
    return posted.how === "refused"
      ? { kind: "not-theirs" }
      : { kind: "stopped", turn: theirs.turn };
  }

  /** @param option - Undefined for none of them. */
  async answer(
    conversation: string,
    { user, key }: Pick<Decider, "user" | "key">,
    permission: string,
    option: string | undefined,
  ): Promise<Posted> {
    const { context, open } = this.#workspace;
    const posted = await context.router.submit(conversation, {
      ...{ kind: "answer", key, user, permission, at: context.now() },
      ...(option !== undefined && { option }),
    });
    open.mark(conversation);
    return posted;
  }

  async openTurns(conversation: string): Promise<readonly OpenTurn[]> {
    return await this.#workspace.context.router.openTurns(conversation);
  }

  async #cancel(conversation: string, turn: string, user: string, key: string): Promise<Posted> {
    const { context, open } = this.#workspace;
    // Only posted: that the agent comes to its end may take longer than the platform waits.
    const posted = await context.router.submit(conversation, {
      ...{ kind: "cancel", key, user, turn, cause: "user", at: context.now() },
    });
    open.mark(conversation);
    return posted;
  }
}
