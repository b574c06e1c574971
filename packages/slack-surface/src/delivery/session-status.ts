import type { SlackWorkspace } from "../workspace.ts";
import { Pause } from "./pause.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** What the platform shows of a thread: `processing` with its own Stop, `suspended` while it waits for a person. */
export type SessionState = "processing" | "suspended" | "active";

/** The platform forgets `processing` after an hour. */
const RENEW_AFTER_MS = 50 * 60_000;

/** When nobody knows whether it was said that nothing runs any more, it is said again so much later, in milliseconds. */
const RETRY_MS = 10_000;

/** A status in words vanishes after two minutes. */
const SAY_AGAIN_MS = 90_000;

const WORKING = "is working…";

/** What the app may say at all: a session's state if it is declared as an agent, and else a status in words. Of one workspace. */
export class SessionSupport {
  #refused: "nothing" | "sessions" | "words" = "nothing";

  /** There is no state, and no Stop with it. */
  get isRefused(): boolean {
    return this.#refused !== "nothing";
  }

  get hasWords(): boolean {
    return this.#refused !== "words";
  }

  refuse(): void {
    this.#refused = this.#refused === "nothing" ? "sessions" : "words";
  }
}

/** Of the app, and not of the one thread. */
const lasting: ReadonlySet<string> = new Set([
  "feature_disabled",
  "missing_scope",
  "not_agent_app",
  "not_allowed_token_type",
  "not_authorized",
  "unknown_method",
]);

/** The platform's status of one thread. The only writer of it. */
export class SessionStatus implements Disposable {
  readonly #workspace: Pick<SlackWorkspace, "queue" | "clock">;
  readonly #place: ThreadPlace;
  readonly #support: SessionSupport;
  readonly #pause: Pause;
  #wanted: SessionState = "active";
  /** Undefined when it is not known. */
  #shown: SessionState | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** @param isOld - An earlier process may have said something. */
  constructor(
    workspace: Pick<SlackWorkspace, "queue" | "clock">,
    place: ThreadPlace,
    support: SessionSupport,
    isOld: boolean,
  ) {
    this.#workspace = workspace;
    this.#pause = new Pause(workspace.clock);
    this.#place = place;
    this.#support = support;
    this.#shown = isOld ? undefined : "active";
  }

  /** Resolves when it is so, or cannot be had. Never rejects. */
  async show(state: SessionState, requester: string): Promise<void> {
    this.#wanted = state;
    if (this.#isDone()) {
      // What waits to say something older need not be said.
      this.#workspace.queue.drop(this.#key);
    }
    this.#running ??= this.#run(requester).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /**
   * The platform has changed it by itself, as it does when a stream starts or stops.
   *
   * @param state - Undefined: it is not known to what.
   */
  assume(state: SessionState | undefined): void {
    this.#shown = state;
    this.#shownAt = this.#workspace.clock.now();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#pause.wake();
    this.#workspace.queue.drop(this.#key);
  }

  get #key(): string {
    return `session ${this.#place.channel} ${this.#place.thread}`;
  }

  #isDone(): boolean {
    const renewAfterMs = this.#support.isRefused ? SAY_AGAIN_MS : RENEW_AFTER_MS;
    const isOld = this.#workspace.clock.now() - this.#shownAt >= renewAfterMs;
    return this.#shown === this.#wanted && !(this.#wanted === "processing" && isOld);
  }

  async #run(requester: string): Promise<void> {
    const { queue, clock } = this.#workspace;
    const { channel, thread, isDirect } = this.#place;
    if (thread === undefined) return;
    const place = { channel_id: channel, thread_ts: thread };
    while (!this.#isDone() && !this.#isClosed) {
      const isWords = this.#support.isRefused;
      // Elsewhere the message itself says what goes on.
      if (isWords && !(isDirect && this.#support.hasWords)) return;
      let said: SessionState = this.#wanted;
      const result = await queue.run({
        method: isWords ? "assistant.threads.setStatus" : "agents.sessions.setStatus",
        channel,
        // Nothing else is made of these calls, and with them comes the platform's Stop.
        priority: this.#wanted === "active" ? "final" : "text",
        key: this.#key,
        args: () => {
          said = this.#wanted;
          if (isWords) return { ...place, status: said === "processing" ? WORKING : "" };
          return { ...place, status: said, initiator_user_id: requester };
        },
      });
      if (result.kind === "superseded") continue;
      if (result.kind === "refused" && lasting.has(result.error)) {
        this.#support.refuse();
        continue;
      }
      if (result.kind === "unknown" && said === "active" && !this.#isClosed) {
        await this.#pause.wait(RETRY_MS);
        continue;
      }
      // One that was refused for another reason would be refused again.
      this.#shown = said;
      this.#shownAt = clock.now();
    }
  }
}
