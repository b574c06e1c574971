import { isSessionNotFound } from "@acp-kit/acp-wire";
import { type Agent, STEERING } from "./agent.ts";
import { RouterError } from "./errors.ts";
import type { EventBody, FailurePhase } from "./events.ts";
import { asFields, asText } from "./fields.ts";
import { createPromptBlocks, findRequest, formatSeed } from "./prompt-blocks.ts";
import { readModelSetting } from "./session-model.ts";
import type { Attached, AttachResult, SessionSlot } from "./session-slot.ts";
import type { PromptItem } from "./store.ts";
import type { Turn } from "./transcript.ts";
import { within } from "./within.ts";

/** How long a session may take to open, the start of the agent included, in milliseconds. */
export const ATTACH_TIMEOUT_MS = 300_000;

/** How long an agent may take to say whether it takes a further message, in milliseconds. */
const STEER_TIMEOUT_MS = 30_000;

/** How long an agent may take to change its model, in milliseconds. */
const SETTING_TIMEOUT_MS = 30_000;

/** Whatever a turn's use of the session needs of the conversation. */
export type TurnSessionHost = {
  readonly agent: Agent;
  readonly slot: SessionSlot;
  /** Adds an event of this turn to what is committed with the next batch. */
  record(event: EventBody): void;
  onFailure(what: string, error: unknown): void;
};

/** What one turn does with its conversation's session: opens it, settles in, prompts it, lets it be cancelled. */
export class TurnSession {
  readonly #host: TurnSessionHost;
  readonly #item: PromptItem;
  #attached: Attached | undefined;
  #seed: string | undefined;
  #phase: FailurePhase = "session";

  constructor(item: PromptItem, host: TurnSessionHost) {
    this.#item = item;
    this.#host = host;
  }

  /** What was being done when {@link attach} or {@link prompt} failed. */
  get phase(): FailurePhase {
    return this.#phase;
  }

  /** The model that runs, as far as the agent tells. */
  get model(): string | undefined {
    return this.#attached?.model;
  }

  /**
   * Opens the session: says what was attached, seeds what it does not know, applies what was chosen.
   *
   * @param isWanted - Asked once the session is open: false leaves it as it is, nothing is said.
   */
  async attach(cwd: string, isWanted: () => boolean): Promise<void> {
    this.#phase = "session";
    const result = await this.#bounded(this.#host.slot.attach(cwd));
    if (isWanted()) await this.#settleIn(result);
  }

  /**
   * Sends the message, and resolves with the agent's stop reason. A session that the agent does not know any more is
   * opened anew, once.
   *
   * @param isUntouched - False as soon as the agent has worked on the turn or the turn is not wanted any more: then it
   *   is not sent again.
   */
  async prompt(isUntouched: () => boolean): Promise<string> {
    try {
      return await this.#send();
    } catch (error) {
      // The same code means any other resource that is not there: once the agent has worked, it is not asked twice.
      if (!isSessionNotFound(error) || !isUntouched()) throw error;
      const cwd = this.#current.cwd;
      this.#host.slot.detach();
      await this.attach(cwd, () => true);
      if (!isUntouched()) throw error;
      return await this.#send();
    }
  }

  /** The agent takes further messages while it answers one. */
  get takesSteering(): boolean {
    const { agent } = this.#host;
    return agent.steer !== undefined && agent.capabilities._meta?.[STEERING] !== undefined;
  }

  /** Gives the agent another message in the middle of its answer. False: it did not take it. @throws RouterError `timeout`. */
  async steer(query: readonly Turn[]): Promise<boolean> {
    const request = findRequest(query);
    if (!request || !this.#attached) return false;
    const { agent } = this.#host;
    const steered = agent.steer?.(this.#attached.session, createPromptBlocks(request));
    return (await within(STEER_TIMEOUT_MS, Promise.resolve(steered))) ?? false;
  }

  /** Asks the agent to stop. No-op before there is a session. */
  cancel(): void {
    if (!this.#attached) return;
    this.#host.agent
      .cancel(this.#attached.session)
      .catch((error: unknown) => this.#host.onFailure("cancel", error));
  }

  /** The agent did not come back from a cancel: its session is not used again. */
  abandon(): void {
    this.#host.slot.abandon();
  }

  get #current(): Attached {
    if (!this.#attached) throw new Error("A turn was prompted before it was attached");
    return this.#attached;
  }

  async #send(): Promise<string> {
    this.#phase = "prompt";
    const request = findRequest(this.#item.query);
    if (!request) throw new Error("A turn without a message was prompted");
    const blocks = createPromptBlocks(request, this.#seed);
    const result: unknown = await this.#host.agent.prompt(this.#current.session, blocks);
    const stopReason = asText(asFields(result)?.["stopReason"]);
    if (stopReason === undefined) {
      const text = "The agent answered a prompt without a stop reason";
      throw new RouterError(text, { code: "protocol" });
    }
    return stopReason;
  }

  async #settleIn({ attached, how, lost }: AttachResult): Promise<void> {
    this.#attached = attached;
    const { query, options } = this.#item;
    const request = findRequest(query);
    this.#seed = how === "new" && request ? formatSeed(query, request) : undefined;
    if (how !== "kept") {
      this.#host.record({ kind: "session-attached", how, session: attached.session, lost });
    }
    if (lost) {
      this.#host.record({
        kind: "notice",
        level: "info",
        text: this.#seed
          ? "The agent's own memory of this conversation is gone; it was given what was said so far."
          : "The agent's own memory of this conversation is gone.",
      });
    }
    if (options.model === "" || options.model === attached.model) return;
    try {
      const setting = readModelSetting(attached.setup);
      const { agent } = this.#host;
      await within(
        SETTING_TIMEOUT_MS,
        setting?.option === undefined
          ? agent.setModel(attached.session, options.model)
          : agent.setConfigOption(attached.session, setting.option, options.model),
      );
      attached.model = options.model;
    } catch (error) {
      this.#host.onFailure("set model", error);
      const text = `The model could not be changed to ${options.model}.`;
      this.#host.record({ kind: "notice", level: "warning", text });
    }
  }

  /** A session that takes too long is given up, and the slot with it. */
  async #bounded(attach: Promise<AttachResult>): Promise<AttachResult> {
    try {
      return await within(ATTACH_TIMEOUT_MS, attach);
    } catch (error) {
      if (error instanceof RouterError && error.code === "timeout") this.#host.slot.detach();
      throw error;
    }
  }
}
