import { type ContentBlock, isSessionNotFound, offersSteering } from "@acp-kit/acp-wire";
import { type ServingAgent, serves } from "./agent-directory.ts";
import type { ConversationSessions, TurnRecorder } from "./conversation-sessions.ts";
import { type Fingerprint, fingerprint, hashId, isContinuation } from "./divergence.ts";
import { RouterError } from "./errors.ts";
import type { FailurePhase, TurnOutcome } from "./events.ts";
import { isAuthRequired, parseFailure } from "./failure.ts";
import { asFields, asText } from "./fields.ts";
import type { GrantPlace } from "./grants.ts";
import { plainName } from "./history.ts";
import {
  createPromptBlocks,
  findCommand,
  findRequest,
  isCommand,
  neutraliseCommand,
} from "./prompt-blocks.ts";
import { PromptRecord } from "./prompt-record.ts";
import { readHistory } from "./read-history.ts";
import { type SessionRecord, withSession } from "./session-record.ts";
import type { Attached, AttachResult, SessionSlot } from "./session-slot.ts";
import { SessionSpending, type TurnSpent } from "./session-spending.ts";
import { describePause, sessionWords } from "./session-words.ts";
import type { PromptItem } from "./store.ts";
import { isTainted } from "./taint.ts";
import type { Turn } from "./transcript.ts";
import {
  absorbAgentChanges,
  applySettings,
  choosePermitted,
  forgetSettings,
} from "./turn-settings.ts";
import { within } from "./within.ts";
import type { Workspace } from "./workspace.ts";

/** How long a session may take to open, the start of the agent included, in milliseconds. */
const ATTACH_TIMEOUT_MS = 300_000;

/** How long an agent may take to say whether it takes a further message, in milliseconds. */
const STEER_TIMEOUT_MS = 30_000;

/** Where a session works, and what else it may use. */
type SessionPlace = Pick<Workspace, "cwd" | "roots" | "lending">;

export type TurnSessionParts = {
  readonly turn: string;
  readonly item: PromptItem;
  readonly sessions: ConversationSessions;
  readonly recorder: TurnRecorder;
};

/** What one turn does with its conversation's session: opens it, settles in, prompts it, lets it be cancelled. */
export class TurnSession {
  readonly #turn: string;
  readonly #item: PromptItem;
  readonly #sessions: ConversationSessions;
  readonly #recorder: TurnRecorder;
  readonly #request: Turn;
  #used:
    | {
        readonly slot: SessionSlot;
        readonly attached: Attached;
        readonly agent: ServingAgent;
        readonly workspace: SessionPlace;
      }
    | undefined;
  /** What the session has not heard, framed. */
  #history: string | undefined;
  /** What was said that the model is not shown. */
  #unseen: string | undefined;
  #phase: FailurePhase = "session";
  #isTainted = true;
  readonly spending = new SessionSpending();

  constructor({ turn, item, sessions, recorder }: TurnSessionParts) {
    const request = findRequest(item.query);
    if (!request) throw new Error("A turn was made of a query without a message");
    this.#turn = turn;
    this.#item = item;
    this.#request = request;
    this.#sessions = sessions;
    this.#recorder = recorder;
  }

  /** Where the turn works, once it is attached. */
  get place(): GrantPlace | undefined {
    return this.#used && { agent: this.#used.agent.name, workspace: this.#used.attached.cwd };
  }

  /** The session may have been told words of others than the person who asked for the turn. */
  get isTainted(): boolean {
    return this.#isTainted;
  }

  /** The model that runs, as far as the agent tells. */
  get model(): string | undefined {
    const model = this.#used?.attached.settings.get("model")?.current;
    return typeof model === "string" ? model : undefined;
  }

  /** What is known of the cost, once the session is open. */
  get spent(): TurnSpent | undefined {
    return this.#used && this.spending.of(this.#used.agent.name, this.#used.attached);
  }

  /**
   * Opens the session: says what was attached, finds out what it has not heard, applies what was chosen. A session that
   * the agent turns out not to know any more is opened anew, once, and one that a reset has ended meanwhile.
   *
   * @param isWanted - Asked once the session is open: false leaves it as it is, nothing is said.
   */
  async attach(place: SessionPlace, isWanted: () => boolean): Promise<void> {
    this.#phase = "session";
    const { resets } = this.#sessions;
    try {
      await this.#attach(place, isWanted);
    } catch (error) {
      const isReset = this.#sessions.resets !== resets;
      if (!(isReset || isSessionNotFound(error)) || !isWanted()) throw error;
      if (!isReset) this.#recover();
      await this.#attach(place, isWanted);
    }
  }

  /**
   * Sends the message, and resolves with the agent's stop reason. A session that the agent does not know any more is
   * opened anew, once, and the log says so before the message is sent again.
   *
   * @param isUntouched - False as soon as the agent has worked on the turn or the turn is not wanted any more: then it
   *   is not sent again.
   */
  async prompt(isUntouched: () => boolean): Promise<string> {
    const { slot, attached, workspace } = this.#current;
    // A reset has ended it since, or the agent's end has.
    if (slot.attached !== attached) {
      this.#phase = "session";
      await this.#attach(workspace, isUntouched);
    }
    try {
      return await this.#send(isUntouched);
    } catch (error) {
      // The same code means any other resource that is not there: once the agent has worked, it is not asked twice.
      if (!isSessionNotFound(error) || !isUntouched()) throw error;
      this.#recover();
      this.#phase = "session";
      await this.#attach(workspace, () => true);
      if (!isUntouched()) throw error;
      this.#say(sessionWords.sentAgain);
      await this.#recorder.flush();
      return await this.#send(isUntouched);
    }
  }

  /** Asks the agent to stop. No-op before there is a session. */
  cancel(): void {
    if (!this.#used) return;
    const { slot, attached } = this.#used;
    slot.agent
      .cancel(attached.session)
      .catch((error: unknown) => this.#sessions.host.onFailure("cancel", error));
  }

  /** The agent takes further messages while it answers one. */
  get takesSteering(): boolean {
    const agent = this.#used?.slot.agent;
    return agent?.steer !== undefined && offersSteering(agent.capabilities);
  }

  /**
   * Gives the agent another message in the middle of its answer. False: it did not take it.
   *
   * @param turn - The turn that the message would have had.
   * @throws RouterError `timeout`
   */
  async steer(item: PromptItem, turn: string): Promise<boolean> {
    const request = findRequest(item.query);
    if (!request || !this.#used) return false;
    const { agent, slot, attached } = this.#used;
    if (!serves(agent, item.user)) return false;
    const text = this.#neutralise(item.text ?? request.content, item.user);
    const blocks = createPromptBlocks({ ...request, content: text });
    const { files } = this.#recorder;
    if (files.has(turn)) blocks.push(...(await this.#fileBlocks(turn)));
    const steered = slot.agent.steer?.(attached.session, blocks);
    if (item.user !== this.#item.user) this.#isTainted = true;
    return (await within(STEER_TIMEOUT_MS, Promise.resolve(steered))) ?? false;
  }

  /** The agent did not come back from a cancel: its session is not used again. */
  abandon(): void {
    this.#used?.slot.abandon();
  }

  /** How the turn ends by an error of {@link attach} or {@link prompt}. A hint for one who has to log in is the answer. */
  endBy(error: unknown, phase: FailurePhase = this.#phase): TurnOutcome {
    const { rules, conversation, onFailure } = this.#sessions.host;
    if (!isAuthRequired(error)) return parseFailure(error, phase);
    try {
      // Asked at each failure: what is to be done may have changed since the session was opened.
      const hint = rules.authErrorHint?.(conversation) ?? "";
      if (hint !== "") {
        this.#recorder.record({ kind: "text", text: hint });
        return { kind: "completed", stopReason: "auth_required" };
      }
    } catch (cause) {
      onFailure("login hint", cause);
    }
    return parseFailure(error, phase);
  }

  get #current() {
    if (!this.#used) throw new Error("A turn was prompted before it was attached");
    return this.#used;
  }

  #recover(): void {
    const { host } = this.#sessions;
    host.onMetric({
      kind: "recovery",
      conversation: host.conversation,
      cause: "session-not-found",
    });
    this.#used?.slot.detach();
  }

  async #attach(place: SessionPlace, isWanted: () => boolean): Promise<void> {
    const { agent, refused } = this.#sessions.agentFor(
      this.#item.user,
      await this.#sessions.book.read(),
    );
    if (refused !== undefined) this.#say(refused, "warning");
    const slot = this.#sessions.slotOf(agent);
    const isEdited = await this.#dropEdited(agent, slot);
    const before = (await this.#sessions.book.read()).sessions[agent.key];
    const result = await this.#bounded(slot, slot.attach(place));
    if (!isWanted()) return;
    const { attached } = result;
    this.#used = { slot, attached, agent, workspace: place };
    this.#sayAttached(result, before, isEdited);
    this.#history = await readHistory(this.#sessions, {
      turn: this.#turn,
      query: this.#item.query,
      request: this.#request,
      session: agent.key,
      isNew: result.how === "new",
    });
    if (isEdited) this.#say(sessionWords.edited);
    else if (result.lost) this.#say(this.#history ? sessionWords.lostAndTold : sessionWords.lost);
    if (result.lost) this.#count("lost");
    await this.#settle(agent, attached);
  }

  /** An agent that remembers what was edited or deleted starts anew. */
  async #dropEdited({ key }: ServingAgent, slot: SessionSlot): Promise<boolean> {
    const known = (await this.#sessions.book.read()).sessions[key];
    if (known ? this.#goesOn(known.transcript) : !slot.attached) return false;
    const { onFailure } = this.#sessions.host;
    slot.close().catch((error: unknown) => onFailure("close session", error));
    // What was kept of the session was erased: it must not remember either.
    if (!known) return false;
    await this.#sessions.book.change((record) => withSession(record, key, undefined));
    this.#count("edited");
    return true;
  }

  #goesOn(known: readonly Fingerprint[]): boolean {
    const { query, replaces } = this.#item;
    const now = fingerprint(query);
    if (replaces === undefined) return isContinuation(known, now);
    // A message that replaces another is a change that the agent is told of, not one that it must not remember.
    const edited = hashId(this.#request.messageId);
    const others = ({ id }: Fingerprint) => id !== edited;
    return isContinuation(known.filter(others), now.filter(others));
  }

  #sayAttached(
    { attached, how, lost }: AttachResult,
    before: SessionRecord | undefined,
    isEdited: boolean,
  ): void {
    if (how !== "kept") {
      this.#recorder.record({ kind: "session-attached", how, session: attached.session, lost });
    }
    const pause = before && !isEdited ? this.#sessions.host.now() - before.lastUsedAt : 0;
    const text = describePause(how, pause, {
      model: attached.settings.get("model")?.current,
      contextUse: attached.live.contextUse ?? before?.contextUse,
    });
    if (text !== undefined) this.#say(text);
  }

  /** Applies the newest choices, as far as they are open to the person who asks. */
  async #settle(agent: ServingAgent, attached: Attached): Promise<void> {
    const { host, book } = this.#sessions;
    await absorbAgentChanges(book, agent.name, attached);
    const { permitted, refused } = await choosePermitted(agent, attached, this.#item, {
      book,
      conversation: host.conversation,
      rules: host.rules,
      onChoiceRefused: (user, setting, value) => host.onChoiceRefused(user, setting, value),
    });
    for (const text of refused) this.#say(text, "warning");
    const failed = await applySettings(agent.agent, attached, permitted, {
      record: (event) => this.#recorder.record(event),
      onFailure: (what, error) => host.onFailure(what, error),
    });
    await forgetSettings(book, agent.name, failed);
  }

  async #send(isUntouched: () => boolean): Promise<string> {
    this.#phase = "prompt";
    const { slot, attached, agent } = this.#current;
    const { host, book } = this.#sessions;
    const isCrowd = await this.#sessions.isCrowd();
    this.#isTainted =
      isCrowd ||
      isTainted(this.#item.query) ||
      (await this.#recorder.files.areForeign(this.#item.user));
    const text = this.#neutralise(this.#item.text ?? this.#request.content, this.#item.user);
    // What stands in front of a command would make it plain text: it goes with the next message.
    const isBare = isCommand(text);
    const preface = isBare
      ? {}
      : {
          systemPrompt: attached.systemPrompt,
          history: this.#history,
          speaker: isCrowd ? this.#speaker : undefined,
        };
    const files = await this.#fileBlocks(this.#turn);
    const prompted = new PromptRecord(book, agent);
    await prompted.send(this.#turn, this.#item, isBare);
    try {
      const blocks = createPromptBlocks({ ...this.#request, content: text }, preface);
      const result: unknown = await slot.agent.prompt(attached.session, [...blocks, ...files]);
      if (!isBare) attached.systemPrompt = undefined;
      this.spending.noteResult(result);
      const stopReason = asText(asFields(result)?.["stopReason"]);
      if (stopReason === undefined) {
        const message = "The agent answered a prompt without a stop reason";
        throw new RouterError(message, { code: "protocol" });
      }
      await prompted.answered(attached, host.now());
      return stopReason;
    } catch (error) {
      if (isUntouched()) {
        await prompted
          .takeBack()
          .catch((cause: unknown) => host.onFailure("session record", cause));
      }
      throw error;
    }
  }

  /** The files of a message, as far as the agent takes them; says what it is not shown. */
  async #fileBlocks(turn: string): Promise<readonly ContentBlock[]> {
    const { slot, workspace } = this.#current;
    const { capabilities } = slot.agent;
    const { files } = this.#recorder;
    const { blocks, unseen } = await files.blocks(turn, capabilities, workspace.lending);
    // A message that is sent again has been told of.
    if (unseen !== undefined && unseen !== this.#unseen) this.#say(unseen, "warning");
    this.#unseen = unseen;
    return blocks;
  }

  get #speaker(): string | undefined {
    const { speaker } = this.#request;
    return speaker === undefined ? undefined : plainName(speaker);
  }

  #neutralise(text: string, user: string): string {
    const { rules, conversation, onChoiceRefused } = this.#sessions.host;
    const { commands } = this.#current.attached.live;
    const allowed = rules.allowedCommands?.(conversation, user) ?? [];
    const safe = neutraliseCommand(text, allowed, commands);
    const refused = safe === text ? undefined : findCommand(text, commands);
    if (refused !== undefined) onChoiceRefused(user, "command", refused);
    return safe;
  }

  #count(cause: "edited" | "lost"): void {
    const { host } = this.#sessions;
    host.onMetric({ kind: "recovery", conversation: host.conversation, cause });
  }

  #say(text: string, level: "info" | "warning" = "info"): void {
    this.#recorder.record({ kind: "notice", level, text });
  }

  /** A session that takes too long is given up, and the slot with it. */
  async #bounded(slot: SessionSlot, attach: Promise<AttachResult>): Promise<AttachResult> {
    const { sessionTimeoutMs = ATTACH_TIMEOUT_MS } = this.#sessions.host.rules;
    try {
      return await within(sessionTimeoutMs, attach);
    } catch (error) {
      if (error instanceof RouterError && error.code === "timeout") slot.detach();
      throw error;
    }
  }
}
