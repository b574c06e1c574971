import { ErrorCode, RpcError } from "../errors.ts";
import type { ContentBlock } from "../types/content.ts";
import type { Meta } from "../types/meta.ts";
import type { SessionInfo, SessionPromptResult } from "../types/session.ts";
import type { SessionUpdate } from "../types/update.ts";
import { within } from "../within.ts";
import type { AgentSession } from "./agent-session.ts";
import { flattenPrompt, titleOf } from "./prompt-text.ts";
import { PromptTurn } from "./prompt-turn.ts";
import type { ClientCalls } from "./session-client-calls.ts";
import { unknownSession } from "./session-id.ts";
import { type SendUpdate, SessionSink } from "./session-sink.ts";
import type { SessionStore } from "./session-store.ts";
import { reduceTranscript } from "./transcript.ts";

/** Prompts that may wait behind a running one. */
const MAX_QUEUED_PROMPTS = 100;
/** Updates of a replay that are sent before anybody looks whether the client reads. */
const REPLAY_BATCH = 1_000;
/** How long an ending session waits for its turns. */
const TURNS_END_MS = 10_000;

export interface LiveSessionOptions {
  readonly info: SessionInfo;
  readonly history: readonly SessionUpdate[];
  readonly client: ClientCalls;
  readonly store: SessionStore;
  readonly busy: "reject" | "queue";
  /** Ends a failed turn with the stop reason `error` instead of a JSON-RPC error. */
  readonly compat: boolean;
  readonly onError: (error: unknown, method: string) => void;
  /** The time, as ISO 8601. */
  readonly now: () => string;
}

/** A session that a client has open: its turns, its transcript, its end. */
export class LiveSession {
  readonly sink: SessionSink;
  /** Aborted when the session ends. */
  readonly ended = new AbortController();
  readonly #options: LiveSessionOptions;
  #info: SessionInfo;
  #agentSession: AgentSession | undefined;
  /** What a replay sends: what does not change any more, and what has come since the last save. */
  #settled: readonly SessionUpdate[];
  #recent: readonly SessionUpdate[] = [];
  /** How many of the settled ones are in the store. */
  #stored: number;
  /** Updates that wait for the answer which opens the session; undefined once it has left. */
  #held: [SessionUpdate, Meta | undefined][] | undefined = [];
  /** Prompts that are not answered yet, the running one first. */
  readonly #turns = new Map<AbortController, Promise<unknown>>();
  #deleted = false;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.#info = options.info;
    this.#settled = options.history;
    this.#stored = options.history.length;
    const { sessionId } = options.info;
    const send: SendUpdate = (update, meta) => this.#send(update, meta);
    this.sink = new SessionSink(sessionId, send, options.client.takesNotices);
  }

  get info(): SessionInfo {
    return this.#info;
  }

  /** The session of the agent's author. Set once, when the factory has built it. */
  get agentSession(): AgentSession {
    if (this.#agentSession === undefined) throw unknownSession(this.#info.sessionId);
    return this.#agentSession;
  }
  set agentSession(session: AgentSession) {
    this.#agentSession = session;
  }

  get history(): readonly SessionUpdate[] {
    return [...this.#settled, ...this.#recent];
  }

  /** The answer that opens the session has left: updates may follow it now. */
  opened(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [update, meta] of held) void this.#deliver(update, meta);
  }

  /** Sends everything that was said, in one go: what the session says meanwhile comes behind it. */
  async replay(): Promise<void> {
    for (const [at, update] of this.history.entries()) {
      const sent = this.#options.client.update(update, undefined);
      if (at % REPLAY_BATCH === REPLAY_BATCH - 1) await sent;
    }
  }

  /** Cancels the running turn, and the prompts that wait behind it. */
  cancel(): void {
    for (const turn of this.#turns.keys()) turn.abort();
  }

  /**
   * Runs one prompt. The turn exists when this returns its promise, so that a cancel in the same
   * read finds it.
   *
   * @param givenUp - Aborts when the client gives up this prompt, and no other.
   */
  prompt(
    blocks: readonly ContentBlock[],
    meta: Meta | undefined,
    givenUp: AbortSignal,
  ): Promise<SessionPromptResult> {
    if (this.ended.signal.aborted) throw unknownSession(this.#info.sessionId);
    const busy = this.#turns.size > 0;
    if (busy && (this.#options.busy === "reject" || this.#turns.size > MAX_QUEUED_PROMPTS)) {
      throw new RpcError(ErrorCode.invalidRequest, "The session already has an active prompt");
    }
    const abort = new AbortController();
    givenUp.addEventListener("abort", () => abort.abort(), { once: true });
    const before = [...this.#turns.values()].at(-1);
    const run = before
      ? before.then(() => this.#run(blocks, meta, abort.signal))
      : this.#run(blocks, meta, abort.signal);
    const done = run.then(
      () => this.#turns.delete(abort),
      () => this.#turns.delete(abort),
    );
    this.#turns.set(abort, done);
    return run;
  }

  /** Gives the running prompt another message. False: none runs, it is being cancelled, or the agent does not take it. */
  async steer(blocks: readonly ContentBlock[]): Promise<boolean> {
    const [running] = this.#turns.keys();
    if (running === undefined || running.signal.aborted) return false;
    const isTaken =
      (await this.agentSession.steer?.({ blocks, text: flattenPrompt(blocks) })) ?? false;
    if (isTaken) {
      for (const content of blocks) this.#record({ sessionUpdate: "user_message_chunk", content });
    }
    return isTaken;
  }

  /** Ends the session: cancels its turns, waits for them within a bound, frees it. */
  async end(why: "closed" | "deleted" | "shutdown"): Promise<void> {
    this.#deleted ||= why === "deleted";
    this.ended.abort();
    this.cancel();
    await within(TURNS_END_MS, Promise.all(this.#turns.values()));
    if (why !== "deleted" && this.#recent.length > 0) await this.#save();
    try {
      await this.#agentSession?.close?.(why);
    } catch (error) {
      this.#options.onError(error, "close");
    }
  }

  async #run(
    blocks: readonly ContentBlock[],
    meta: Meta | undefined,
    signal: AbortSignal,
  ): Promise<SessionPromptResult> {
    if (signal.aborted) return { stopReason: "cancelled" };
    const text = flattenPrompt(blocks);
    for (const content of blocks) this.#record({ sessionUpdate: "user_message_chunk", content });
    if (!this.#info.title && text !== "") this.#info = { ...this.#info, title: titleOf(text) };
    const turn = new PromptTurn({
      client: this.#options.client,
      send: (update, updateMeta) => this.#send(update, updateMeta),
      cwd: this.#info.cwd,
      blocks,
      promptText: text,
      meta,
      signal,
    });
    try {
      const ended = (await this.agentSession.prompt(turn)) ?? "end_turn";
      const outcome = typeof ended === "string" ? { stopReason: ended } : ended;
      const stopReason = signal.aborted ? "cancelled" : (outcome.stopReason ?? "end_turn");
      if (stopReason === "error") throw new RpcError(ErrorCode.internalError, "The turn failed");
      return this.#result(stopReason, outcome);
    } catch (error) {
      if (signal.aborted) return this.#result("cancelled", {});
      if (!this.#options.compat) throw error;
      if (!(error instanceof RpcError)) this.#options.onError(error, "session/prompt");
      return this.#result("error", {});
    } finally {
      await this.#save();
    }
  }

  #result(
    stopReason: string,
    { usage, meta }: { usage?: unknown; meta?: Meta },
  ): SessionPromptResult {
    const { store } = this.#options;
    const transcriptPath = this.#deleted ? undefined : store.transcriptPath?.(this.#info.sessionId);
    const allMeta = transcriptPath === undefined ? meta : { ...meta, transcriptPath };
    return {
      stopReason,
      ...(usage !== undefined && { usage }),
      ...(allMeta !== undefined && { _meta: allMeta }),
    };
  }

  #send(update: SessionUpdate, meta: Meta | undefined): Promise<void> {
    if (this.#held === undefined) return this.#deliver(update, meta);
    this.#held.push([update, meta]);
    return Promise.resolve();
  }

  /** Never rejects: an agent that does not wait for its updates must not fall over a client's end. */
  async #deliver(update: SessionUpdate, meta: Meta | undefined): Promise<void> {
    this.#record(update);
    const { title } = update as { title?: unknown };
    if (update.sessionUpdate === "session_info_update" && typeof title === "string") {
      this.#info = { ...this.#info, title };
    }
    try {
      await this.#options.client.update(update, meta);
    } catch (error) {
      this.#options.onError(error, "session/update");
    }
  }

  #record(update: SessionUpdate): void {
    this.#recent = reduceTranscript(this.#recent, update);
    this.#info = { ...this.#info, updatedAt: this.#options.now() };
  }

  async #save(): Promise<void> {
    this.#settled = this.history;
    this.#recent = [];
    const upTo = this.#settled.length;
    try {
      const state = await this.#agentSession?.snapshot?.();
      // Deleting may have begun meanwhile: a deleted session must not write its files again.
      if (this.#deleted) return;
      const added = this.#settled.slice(this.#stored, upTo);
      await this.#options.store.save({
        info: this.#info,
        added,
        ...(state !== undefined && { state }),
      });
      this.#stored = upTo;
    } catch (error) {
      this.#options.onError(error, "save");
    }
  }
}
