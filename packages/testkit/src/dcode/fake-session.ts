import {
  type ApprovalDecision,
  type DcodeEvent,
  ErrorCode,
  type Mode,
  type OpenString,
  ProtocolError,
  type Session,
  type SessionState,
  type SubmitTurnRequest,
  ZERO_TIME,
} from "@acp-kit/dcode-protocol";
import { Approvals } from "./approvals.ts";
import { EventLog } from "./event-log.ts";
import { formatTime, type Settings } from "./options.ts";
import type { Records } from "./records.ts";
import { type EndStep, runSteps, type TurnHost } from "./run-turn.ts";
import type { DcodeCall } from "./script.ts";

export type SessionStart = Pick<Session, "id" | "workspace" | "model" | "sandbox_mode" | "mode"> & {
  readonly qualify: boolean;
  readonly doneCriteria: number;
};

/** What a session needs of its daemon. */
export type SessionHost = {
  gate(name: string): Promise<void>;
  /** A script that threw: the fault of the test, which must hear of it. */
  failed(error: unknown): void;
};

/** One session of the fake daemon: its log, its turn, its approvals. */
export class FakeSession {
  readonly log: EventLog;
  readonly start: SessionStart;
  /** A definition of done that was proposed and not written yet. */
  proposed = 0;
  readonly #settings: Settings;
  readonly #records: Records;
  readonly #host: SessionHost;
  readonly #approvals: Approvals;
  readonly #createdAt: string;
  #mode: string;
  #sandboxMode: string;
  #state: SessionState = "idle";
  /** Looks that still find it busy, once its turn has completed. */
  #lag = 0;
  /** Turns and typed commands count together. */
  #counter = 0;
  #turns = 0;
  #nanoseconds = 0;
  #steers: string[] = [];
  #killed = false;
  #turn: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(start: SessionStart, settings: Settings, records: Records, host: SessionHost) {
    this.start = start;
    this.#settings = settings;
    this.#records = records;
    this.#host = host;
    this.#mode = start.mode;
    this.#sandboxMode = start.sandbox_mode;
    this.#approvals = new Approvals(settings.approvalTimeoutMs, settings.approvalLag);
    this.log = new EventLog(start.id, settings.retention, () => this.at());
    this.#createdAt = this.at();
    this.emit("session.created", this.view());
  }

  /** As the routes show it. Looking is what makes a completed turn idle at last. */
  look(): Session {
    this.#settle();
    return this.view();
  }

  view(): Session {
    const { contextWindow } = this.#settings;
    return {
      id: this.start.id,
      state: this.#state,
      workspace: this.start.workspace,
      model: this.start.model,
      sandbox_mode: this.#sandboxMode,
      mode: this.#mode,
      created_at: this.#createdAt,
      last_seq: this.log.last,
      first_seq: this.log.first,
      ...(contextWindow !== null && { context_window: contextWindow }),
      done_criteria: this.start.doneCriteria,
    };
  }

  /** A time of its own, later than the one before. */
  at(): string {
    this.#nanoseconds = (this.#nanoseconds + 1_237) % 1_000_000;
    return formatTime(Date.now(), this.#nanoseconds, this.#settings.zone);
  }

  /** Appends an event, to the record too. */
  emit(type: string, payload: unknown): void {
    if (this.#killed) return;
    this.#records.append(this.log.append(type, payload));
  }

  /** Begins with another session's history; the record gets only the note that says so. */
  carry(source: string, history: readonly DcodeEvent[]): void {
    const turns = history.filter((event) => event.type === "turn.started").length;
    this.emit("session.resumed", { source_id: source, turns, started_at: ZERO_TIME });
    for (const { type, payload } of history) this.log.append(type, payload);
  }

  submit(request: SubmitTurnRequest): void {
    this.#settle();
    this.#refuseWhileBusy();
    this.#counter += 1;
    this.#turns += 1;
    this.#state = "running";
    const abort = new AbortController();
    this.#turn = { abort, ended: this.#run(`t${this.#counter}`, request, abort.signal) };
  }

  steer(text: string): void {
    this.#settle();
    if (text.trim() === "") throw new ProtocolError(ErrorCode.invalidInput, "nothing was said");
    // A turn that waits for an approval takes nothing either.
    if (this.#state !== "running" || !this.#turn) {
      throw new ProtocolError(ErrorCode.noActiveTurn, "no turn is running");
    }
    this.#steers.push(text);
  }

  interrupt(): void {
    this.#turn?.abort.abort();
  }

  resolve(approval: string, decision: ApprovalDecision): void {
    this.#approvals.resolve(approval, decision);
  }

  refuseUndoWhileRunning(): void {
    this.#settle();
    if (this.#state === "running") this.#refuseWhileBusy();
  }

  setMode(mode: Mode): void {
    if (mode === this.#mode) return;
    const previous = this.#mode;
    this.#mode = mode;
    this.#sandboxMode = { plan: "read-only", assist: "workspace-write", auto: "full-access" }[mode];
    this.emit("session.mode_changed", { previous, mode, sandbox_mode: this.#sandboxMode });
  }

  rename(name: string): void {
    if (this.#settings.era === "later") {
      this.emit("session.renamed", { name });
      return;
    }
    // Behind the log's back: its next event gets the same seq.
    this.#records.append({
      seq: this.log.last + 1,
      session_id: this.start.id,
      type: "session.renamed",
      at: this.at(),
      payload: { name },
    });
  }

  /** Runs a typed command; the signal is its request's connection. Interrupting does not reach it. */
  async exec(command: string, signal: AbortSignal): Promise<void> {
    this.#settle();
    if (command.trim() === "") throw new ProtocolError(ErrorCode.invalidInput, "no command");
    this.#refuseWhileBusy();
    this.#counter += 1;
    const turn = `x${this.#counter}`;
    const call = { turn_id: turn, tool_call_id: `${turn}-1`, name: "bash" };
    this.emit("tool.requested", { ...call, input: { command }, typed: true });
    const started = this.at();
    const { output, exit = 0 } = await this.#settings.exec(command, signal);
    if (signal.aborted) return;
    this.emit("tool.completed", {
      tool_call_id: call.tool_call_id,
      ok: true,
      output: exit === 0 ? output : `exit ${exit}\n${output}`,
      truncated: false,
      ...(exit !== 0 && { exit_code: exit }),
      has_exit: true,
      started_at: started,
      finished_at: this.at(),
    });
  }

  /** Cancels the turn and waits for its end. */
  async close(): Promise<void> {
    this.interrupt();
    await this.#turn?.ended;
    this.#state = "closed";
  }

  /** Ends it as the death of the process does: nothing more is said or recorded. */
  kill(): void {
    this.#killed = true;
    this.interrupt();
  }

  async #run(
    id: string,
    { text, images = [] }: SubmitTurnRequest,
    signal: AbortSignal,
  ): Promise<void> {
    this.emit("turn.started", { turn_id: id, ...(text !== "" && { text }) });
    const said: string[] = [];
    const host: TurnHost = {
      emit: (type, payload) => this.#emitFromTurn(type, payload),
      takeSteers: () => {
        for (const each of this.#steers.splice(0)) {
          said.push(each);
          this.emit("turn.steered", { turn_id: id, text: each });
        }
      },
      gate: (name) => this.#host.gate(name),
      ask: (approval, call, cancelled) => this.#ask(approval, call, cancelled),
      at: () => this.at(),
      deadline: () => this.#deadline(),
    };
    const turn = {
      session: this.start.id,
      id,
      text,
      images: images.map((image) => image.media_type),
      number: this.#turns,
      decisions: [] as OpenString<ApprovalDecision>[],
      steers: said,
    };
    const end = await runSteps(host, turn, this.#settings.script, signal).catch(
      (error: unknown) => {
        this.#host.failed(error);
        const failed: EndStep = {
          kind: "end",
          error: { code: "internal", message: "the script failed" },
        };
        return failed;
      },
    );
    if (end?.error) this.emit("session.error", end.error);
    const usage = { input_tokens: 100, output_tokens: 10, context_tokens: 100 };
    this.emit("turn.completed", {
      turn_id: id,
      reason: end ? (end.reason ?? (end.error ? "error" : "done")) : "interrupted",
      usage: end?.usage ?? usage,
      ...(end?.completion && { completion: end.completion }),
    });
    this.#turn = undefined;
    this.#lag = this.#settings.idleLag;
    if (this.#lag === 0) this.#state = "idle";
    if (this.#steers.splice(0).length > 0) {
      this.emit("session.error", {
        code: "no_active_turn",
        message: "the turn ended before it was told",
      });
    }
  }

  async #ask(id: string, call: DcodeCall, signal: AbortSignal): Promise<ApprovalDecision> {
    const ask = call.ask ?? { boundary: "" };
    if (this.#approvals.isGranted(call.name, ask)) return "allow";
    this.#state = "blocked";
    const decision = await this.#approvals.ask(id, call.name, ask, signal);
    this.#state = "running";
    return decision;
  }

  #emitFromTurn(type: string, payload: unknown): void {
    if (type === "done.proposed") {
      this.proposed = ((payload as { criteria?: unknown[] }).criteria ?? []).length;
    }
    this.emit(type, payload);
  }

  #deadline(): string {
    if (this.#settings.era === "0.20") return ZERO_TIME;
    return formatTime(Date.now() + this.#settings.approvalTimeoutMs, 0, this.#settings.zone);
  }

  #refuseWhileBusy(): void {
    if (this.#state !== "idle") {
      throw new ProtocolError(ErrorCode.turnAlreadyActive, `session is ${this.#state}`);
    }
  }

  /** One look: a turn that has completed may still be found running. */
  #settle(): void {
    if (this.#turn || this.#state !== "running") return;
    if (this.#lag === 0) this.#state = "idle";
    else this.#lag -= 1;
  }
}
