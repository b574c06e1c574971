import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type CreateSessionRequest, ErrorCode, ProtocolError } from "@acp-kit/dcode-protocol";
import { type EventResponse, sendEvents } from "./event-response.ts";
import { FakeSession, type SessionHost, type SessionStart } from "./fake-session.ts";
import { formatTime, type Settings } from "./options.ts";
import type { Records } from "./records.ts";

/** The live sessions of a daemon, and who reads them. */
export class Sessions {
  readonly #settings: Settings;
  readonly #records: Records;
  readonly #host: SessionHost;
  readonly #sessions = new Map<string, FakeSession>();
  readonly #readers = new Map<EventResponse, string>();

  constructor(settings: Settings, records: Records, host: SessionHost) {
    this.#settings = settings;
    this.#records = records;
    this.#host = host;
  }

  all(): readonly FakeSession[] {
    return [...this.#sessions.values()];
  }

  /** @throws ProtocolError `session_not_found` */
  find(id: string): FakeSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw notFound(id);
  }

  /** The readers of one session or of all. */
  readers(session?: string): readonly EventResponse[] {
    const readers = [...this.#readers];
    return readers.flatMap(([reader, id]) =>
      session === undefined || id === session ? [reader] : [],
    );
  }

  create(request: CreateSessionRequest): FakeSession {
    if (this.#sessions.size >= this.#settings.maxSessions) {
      const message = `${this.#sessions.size} sessions are open`;
      throw new ProtocolError(ErrorCode.maxSessionsReached, message);
    }
    const source = request.resume;
    if (source && !this.#records.has(source)) throw notFound(source);
    const history = source ? this.#records.history(source) : [];
    const start = startOf(request, this.#settings.model);
    const session = new FakeSession(start, this.#settings, this.#records, this.#host);
    this.#sessions.set(start.id, session);
    if (source) session.carry(source, history);
    return session;
  }

  /** Its record stays. */
  async delete(id: string): Promise<void> {
    const session = this.find(id);
    this.#sessions.delete(id);
    await session.close();
    for (const reader of this.readers(id)) reader.end();
  }

  /** Names a session that lives, or one that is only recorded. */
  rename(id: string, name: string): void {
    const session = this.#sessions.get(id);
    if (session) {
      session.rename(name);
      return;
    }
    if (!this.#records.has(id)) throw notFound(id);
    const at = formatTime(Date.now(), 0, this.#settings.zone);
    const seq = this.#records.lastSeq(id) + 1;
    this.#records.append({ seq, session_id: id, type: "session.renamed", at, payload: { name } });
  }

  /** Sends the events of a session from a position on; a later one than the next waits. */
  stream(id: string, from: number, response: ServerResponse): void {
    const { log } = this.find(id);
    if (from < log.first) {
      throw new ProtocolError(ErrorCode.eventsExpired, `the first event is ${log.first}`);
    }
    const reader = sendEvents(response, log, from, this.#settings);
    this.#readers.set(reader, id);
    response.on("close", () => this.#readers.delete(reader));
  }

  /** Interrupts every turn, and ends every stream. */
  async close(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) await this.delete(id);
  }

  kill(): void {
    for (const session of this.#sessions.values()) session.kill();
    this.#sessions.clear();
  }
}

/** 19 hex digits, and the mode that follows from the sandbox: no request names one. */
function startOf(request: CreateSessionRequest, model: string): SessionStart {
  const { workspace, sandbox_mode: sandbox, qualify, loop_spec: spec } = request;
  const qualifying = Boolean(qualify && spec);
  // What is asked for counts, even where qualifying means to read only.
  const sandboxMode = sandbox || (qualifying ? "read-only" : "workspace-write");
  const modes: readonly [sandbox: string, mode: string][] = qualifying
    ? [["read-only", "plan"]]
    : [
        ["workspace-write", "assist"],
        ["full-access", "auto"],
      ];
  return {
    id: Date.now().toString(16).padStart(11, "0") + randomBytes(4).toString("hex"),
    workspace,
    model: request.model || model,
    sandbox_mode: sandboxMode,
    mode: new Map(modes).get(sandboxMode) ?? "",
    qualify: qualifying,
    doneCriteria: spec && !qualifying ? 1 : 0,
  };
}

function notFound(id: string): ProtocolError {
  return new ProtocolError(ErrorCode.sessionNotFound, `no session ${id}`);
}
