import {
  type ApprovalDecision,
  type CommitDoneResponse,
  type CreateSessionRequest,
  commitDoneResponseSchema,
  createSessionRequestSchema,
  type DcodeEvent,
  ErrorCode,
  execRequestSchema,
  formatBody,
  type Health,
  healthSchema,
  listSpecsResponseSchema,
  type Mode,
  ProtocolError,
  parseBody,
  renameSessionRequestSchema,
  resolveApprovalRequestSchema,
  type Session,
  type SpecFolder,
  type SubmitTurnRequest,
  sessionListSchema,
  sessionSchema,
  setModeRequestSchema,
  steerRequestSchema,
  submitTurnRequestSchema,
  type UndoResult,
  undoResultSchema,
  VERSION,
  type Version,
  versionSchema,
} from "@acp-kit/dcode-protocol";
import { type DaemonAddress, type Endpoint, parseAddress } from "./address.ts";
import { nextDelayMs, waited } from "./backoff.ts";
import { ClientError } from "./client-error.ts";
import { type EventStreamOptions, followEvents } from "./event-stream.ts";
import { type Call, exchange } from "./exchange.ts";
import { sessionPath } from "./paths.ts";

type BodySchema = Parameters<typeof parseBody>[0];
type Body<Schema extends BodySchema> = ReturnType<typeof parseBody<Schema>>;

const DEFAULT_TIMEOUT_MS = 30_000;
/** Between two tries against a race of the daemon's, which lasts milliseconds. */
const SETTLE_FIRST_MS = 10;
const SETTLE_MAX_MS = 200;

export type CallOptions = {
  readonly signal?: AbortSignal;
  /** For the whole call, in milliseconds. Default 30,000, or what the client was made with. */
  readonly timeoutMs?: number;
};

export type SettleOptions = CallOptions & {
  /** Try again for so long, in milliseconds, when a race of the daemon's may be why it refused. Default 0. */
  readonly settleMs?: number;
};

/**
 * A client of a dcode daemon, or of a server that speaks its protocol. It keeps no connection and no
 * state; calls may run at the same time.
 *
 * Every method throws `ProtocolError` with the daemon's code when it refuses, and {@link ClientError}
 * when the call itself failed. Nothing is sent twice, except as `settleMs` says.
 */
export class DcodeClient {
  readonly #endpoint: Endpoint;
  readonly #timeoutMs: number;

  constructor(address: DaemonAddress, options: { readonly timeoutMs?: number } = {}) {
    this.#endpoint = parseAddress(address);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Whether the daemon lives. */
  health(options?: CallOptions): Promise<Health> {
    return this.#read(healthSchema, { method: "GET", path: "/health" }, options);
  }

  version(options?: CallOptions): Promise<Version> {
    return this.#read(versionSchema, { method: "GET", path: "/version" }, options);
  }

  /** The version, when it is one that this client speaks. @throws ClientError `unsupported` */
  async checkVersion(options?: CallOptions): Promise<Version> {
    const version = await this.version(options);
    if (version.protocol === VERSION) return version;
    throw new ClientError(
      `The daemon at ${this.#endpoint.name} speaks protocol ${version.protocol}, this client ${VERSION}.`,
      { code: "unsupported" },
    );
  }

  /**
   * Opens a session. With `resume` it continues a recorded one under a new id, and the events up to
   * the answer's `last_seq` are that one's history.
   */
  createSession(request: CreateSessionRequest, options?: CallOptions): Promise<Session> {
    const json = formatBody(createSessionRequestSchema, request);
    return this.#read(
      sessionSchema,
      { method: "POST", path: `/${VERSION}/sessions`, json },
      options,
    );
  }

  /** The live sessions, oldest first. */
  listSessions(options?: CallOptions): Promise<Session[]> {
    return this.#read(sessionListSchema, { method: "GET", path: `/${VERSION}/sessions` }, options);
  }

  getSession(session: string, options?: CallOptions): Promise<Session> {
    return this.#read(sessionSchema, { method: "GET", path: sessionPath(session) }, options);
  }

  /** Ends the session for everyone: its turn is cancelled, its approvals are denied, its streams end. */
  deleteSession(session: string, options?: CallOptions): Promise<void> {
    return this.#send({ method: "DELETE", path: sessionPath(session) }, options);
  }

  /** See {@link followEvents}. */
  events(session: string, options: EventStreamOptions = {}): AsyncGenerator<DcodeEvent, void> {
    return followEvents(this.#endpoint, session, options);
  }

  /**
   * Starts a turn; its first event is the first `turn.started` behind the events known before.
   *
   * A session is still busy for a moment after `turn.completed`: `settleMs` tries again while the
   * daemon says `turn_already_active`.
   *
   * @throws ProtocolError `invalid_input`, before anything is sent, for a picture that the daemon
   *   would not take.
   */
  async submitTurn(
    session: string,
    turn: SubmitTurnRequest,
    options?: SettleOptions,
  ): Promise<void> {
    const json = formatBody(submitTurnRequestSchema, parseBody(submitTurnRequestSchema, turn));
    const call: Call = { method: "POST", path: sessionPath(session, "turns"), json };
    await this.#settle([ErrorCode.turnAlreadyActive], () => this.#send(call, options), options);
  }

  /** Says something to the running turn. Not possible while it waits for an approval. */
  async steer(session: string, text: string, options?: CallOptions): Promise<void> {
    await this.#post(session, "steer", formatBody(steerRequestSchema, { text }), options);
  }

  /** Interrupts the turn; does nothing when there is none. It does not stop {@link exec}. */
  async interrupt(session: string, options?: CallOptions): Promise<void> {
    await this.#post(session, "interrupt", undefined, options);
  }

  /**
   * Answers an approval; the first answer counts.
   *
   * The daemon announces an approval a moment before it can be answered, and until then says that it
   * was answered already, or has lapsed when its id was used before: `settleMs` tries again. Let
   * `signal` abort when `tool.approval_resolved` comes, which is the only proof.
   */
  async resolveApproval(
    session: string,
    approval: string,
    decision: ApprovalDecision,
    options?: SettleOptions,
  ): Promise<void> {
    const json = formatBody(resolveApprovalRequestSchema, { decision });
    const call: Call = { method: "POST", path: sessionPath(session, "approvals", approval), json };
    const racy = [ErrorCode.approvalResolved, ErrorCode.approvalExpired];
    await this.#settle(racy, () => this.#send(call, options), options);
  }

  /** Puts back the files that the last turn wrote, except those that changed since. */
  undo(session: string, options?: CallOptions): Promise<UndoResult> {
    return this.#read(
      undoResultSchema,
      { method: "POST", path: sessionPath(session, "undo") },
      options,
    );
  }

  /**
   * Runs a command as if a person had typed it, and resolves when it has ended; its output comes as
   * events. Aborting cancels the command. There is no timeout unless one is given.
   */
  async exec(session: string, command: string, options: CallOptions = {}): Promise<void> {
    const json = formatBody(execRequestSchema, { command });
    const call: Call = {
      method: "POST",
      path: sessionPath(session, "exec"),
      json,
      signal: options.signal,
    };
    await exchange(this.#endpoint, call, options.timeoutMs);
  }

  /** Names the conversation, also one that is only recorded; an empty name gives the derived title back. */
  async rename(session: string, name: string, options?: CallOptions): Promise<void> {
    await this.#post(session, "name", formatBody(renameSessionRequestSchema, { name }), options);
  }

  /** Switches the mode. Setting the one that it has makes no event. */
  async setMode(session: string, mode: Mode, options?: CallOptions): Promise<void> {
    await this.#post(session, "mode", formatBody(setModeRequestSchema, { mode }), options);
  }

  /** Writes the proposed definition of done of a qualifying session. */
  commitDone(session: string, options?: CallOptions): Promise<CommitDoneResponse> {
    const call: Call = { method: "POST", path: sessionPath(session, "done") };
    return this.#read(commitDoneResponseSchema, call, options);
  }

  /**
   * The spec folders of a workspace, and what is left to do in each.
   *
   * @param options.measure - Default true: run their criteria, which takes as long as they take; there
   *   is no timeout then unless one is given.
   */
  async listSpecs(
    workspace: string,
    { measure = true, ...options }: CallOptions & { readonly measure?: boolean } = {},
  ): Promise<SpecFolder[]> {
    const query = new URLSearchParams({ workspace, ...(!measure && { measure: "false" }) });
    const path = `/${VERSION}/specs?${query}`;
    const timeoutMs = options.timeoutMs ?? (measure ? undefined : this.#timeoutMs);
    const text = await exchange(
      this.#endpoint,
      { method: "GET", path, signal: options.signal },
      timeoutMs,
    );
    return this.#parse(listSpecsResponseSchema, text).specs;
  }

  #post(session: string, action: string, json?: string, options?: CallOptions): Promise<void> {
    const path = sessionPath(session, action);
    return this.#send({ method: "POST", path, ...(json !== undefined && { json }) }, options);
  }

  async #send(call: Call, options: CallOptions = {}): Promise<void> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    await exchange(this.#endpoint, { ...call, signal: options.signal }, timeoutMs);
  }

  async #read<Schema extends BodySchema>(
    schema: Schema,
    call: Call,
    options: CallOptions = {},
  ): Promise<Body<Schema>> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const text = await exchange(this.#endpoint, { ...call, signal: options.signal }, timeoutMs);
    return this.#parse(schema, text);
  }

  #parse<Schema extends BodySchema>(schema: Schema, text: string): Body<Schema> {
    try {
      return parseBody(schema, JSON.parse(text)) as Body<Schema>;
    } catch (cause) {
      const why = cause instanceof ProtocolError ? cause.text : "not JSON";
      throw new ClientError(`The daemon at ${this.#endpoint.name} answered: ${why}.`, {
        code: "bad_answer",
        cause,
      });
    }
  }

  /** Calls until it is not refused with one of the codes, or the time is over. */
  async #settle(
    codes: readonly string[],
    call: () => Promise<void>,
    { settleMs = 0, signal }: SettleOptions = {},
  ): Promise<void> {
    const end = performance.now() + settleMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const delayMs = nextDelayMs(tries, SETTLE_FIRST_MS, SETTLE_MAX_MS);
        const racy = error instanceof ProtocolError && codes.includes(error.code);
        if (!racy || performance.now() + delayMs > end) throw error;
        if (!(await waited(delayMs, signal))) throw error;
      }
    }
  }
}
