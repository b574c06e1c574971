import {
  type CancelCause,
  mayDecide,
  type OpenTurn,
  type Posted,
  type Role,
} from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";

/** Somebody who wants to decide about a turn. */
export type Decider = { readonly user: string; readonly role: Role };

export type StopOutcome =
  | { readonly kind: "stopped"; readonly turn: string }
  | { readonly kind: "none" }
  | { readonly kind: "not-theirs" };

/** What people decide about turns: that they end, and what their questions are answered. */
export class Decisions {
  readonly #workspace: Pick<SlackWorkspace, "context" | "open">;

  constructor(workspace: Pick<SlackWorkspace, "context" | "open">) {
    this.#workspace = workspace;
  }

  /**
   * Ends a turn: this one, or else what runs; where nothing does, the first of those that wait that is this person's to
   * end. Only the wish is committed then: that an agent comes to its end may take longer than the platform waits.
   *
   * @param turn - Absent: whichever.
   */
  async stop(conversation: string, { user, role }: Decider, turn?: string): Promise<StopOutcome> {
    const { router } = this.#workspace.context;
    const open = await router.openTurns(conversation);
    const running = open.filter(({ started }) => started);
    // What waits is not stopped in the place of what runs: a person would not notice which it was.
    const whichever = running.length > 0 ? running : open;
    const meant = turn === undefined ? whichever : open.filter((one) => one.turn === turn);
    if (meant.length === 0) return { kind: "none" };
    const theirs = meant.find(({ who }) => mayDecide(user, who, role));
    if (!theirs) return { kind: "not-theirs" };
    const how = await this.cancel(conversation, theirs.turn, "user", user);
    return how === "refused" ? { kind: "not-theirs" } : { kind: "stopped", turn: theirs.turn };
  }

  /** Ends a turn, once however often it is asked for. @param user - Absent: the relay itself. */
  async cancel(
    conversation: string,
    turn: string,
    cause: CancelCause,
    user?: string,
  ): Promise<Posted["how"]> {
    const { context, open } = this.#workspace;
    const { how } = await context.router.submit(conversation, {
      ...{ kind: "cancel", key: `cancel:${turn}:${user ?? ""}`, turn, cause, at: context.now() },
      ...(user !== undefined && { user }),
    });
    open.mark(conversation);
    return how;
  }

  /**
   * What a message said, and its files, are kept no longer. False: nothing was ever kept of its conversation.
   *
   * @param message - Its key.
   */
  async redact(conversation: string, message: string): Promise<boolean> {
    const { router, now } = this.#workspace.context;
    if ((await router.log(conversation).last()) === 0) return false;
    const key = `redact:${message}`;
    await router.submit(conversation, { kind: "redact", key, message, at: now() });
    return true;
  }

  /** @param option - Undefined for none of them. */
  async answer(
    conversation: string,
    { user, key }: { readonly user: string; readonly key: string },
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
}
