import type { SlackWorkspace } from "../workspace.ts";
import { tellDirectly } from "./tell-approvers.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** Nobody is told again of the same place before this, in milliseconds. */
const TELL_AGAIN_MS = 24 * 3_600_000;

/** Places that take no message, and who was told of them. */
export class PlaceRefusals {
  readonly #workspace: SlackWorkspace;
  /** Until when a person need not be told of a place. */
  readonly #told = new Map<string, number>();

  constructor(workspace: SlackWorkspace) {
    this.#workspace = workspace;
  }

  /** Tells a person, where they can be reached, that their answer cannot be shown. Never rejects. */
  async tell(user: string, { channel, isDirect }: ThreadPlace, error: string): Promise<void> {
    const { context, clock } = this.#workspace;
    context.log.warn({ channel, error }, "a place takes no message");
    const now = clock.now();
    for (const [key, until] of this.#told) if (until <= now) this.#told.delete(key);
    const key = `${user} ${channel}`;
    if (isDirect || this.#told.has(key) || !/^[UW][A-Z0-9]+$/.test(user)) return;
    this.#told.set(key, now + TELL_AGAIN_MS);
    const text = `I can't answer you in <#${channel}>: Slack says \`${error}\`.`;
    await tellDirectly(this.#workspace, user, text);
  }
}
