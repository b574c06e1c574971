import type { Turn } from "@acp-kit/router";
import { within } from "../within.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { HeardMessage } from "./heard.ts";
import { findTs } from "./parse-event.ts";
import { EARLIER_WAIT_MS, readThread } from "./read-thread.ts";

/** Threads of which it is known that nothing has to be read. */
const MAX_TOLD_TO = 10_000;

/** What people have said in threads among themselves, for the agent that is asked something there. */
export class EarlierWords {
  readonly #workspace: SlackWorkspace;
  /** Threads in which nothing was said since that the agent is not told, each with the message that it was last told with. */
  readonly #toldTo = new Map<string, string>();

  constructor(workspace: SlackWorkspace) {
    this.#workspace = workspace;
  }

  /** Since the agent was last asked something there; empty when it cannot be read in time. */
  async of(message: HeardMessage, conversation: string): Promise<readonly Turn[]> {
    const { context, clock, heard } = this.#workspace;
    const { key, place, ts } = message;
    if (place.kind === "direct" || heard.message(key)) return [];
    const to = this.#toldTo.get(conversation) ?? key;
    // Both events of a message may be on their way.
    if (to !== key) return [];
    if (this.#toldTo.size >= MAX_TOLD_TO) this.#toldTo.clear();
    this.#toldTo.set(conversation, key);
    if (!place.isInThread) return [];
    const last = await context.router.lastTurn(conversation);
    const part = { after: last && findTs(last.key), before: ts };
    const read = readThread(this.#workspace, place, part);
    return (await within(clock, EARLIER_WAIT_MS, read)) ?? [];
  }

  /** The agent is not told this message now: the next one in its thread has to bring it. */
  leaveOut(message: HeardMessage, conversation: string): void {
    const told = findTs(this.#toldTo.get(conversation) ?? "") ?? 0;
    if (Number(message.ts) > Number(told)) this.#toldTo.delete(conversation);
  }

  /** What the agent was to be told did not reach it. */
  untold(conversation: string): void {
    this.#toldTo.delete(conversation);
  }
}
