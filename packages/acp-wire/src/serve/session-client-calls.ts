import type { Conn } from "../conn.ts";
import { ErrorCode, RpcError } from "../errors.ts";
import type { ClientCapabilities } from "../types/initialize.ts";
import type { Meta } from "../types/meta.ts";
import type {
  PermissionOption,
  PermissionOutcome,
  PermissionRequestResult,
} from "../types/permission.ts";
import type { KnownToolCallFields, SessionUpdate } from "../types/update.ts";

const CANCELLED: PermissionOutcome = { outcome: "cancelled" };

export interface ClientCallsOptions {
  readonly sessionId: string;
  readonly conn: Conn;
  readonly clientCapabilities: ClientCapabilities;
  /** Says `allow_persistent` as such, for a client that knows it. */
  readonly compat: boolean;
}

/** What an agent may ask of its client, for one session. */
export class ClientCalls {
  readonly sessionId: string;
  readonly #options: ClientCallsOptions;

  constructor(options: ClientCallsOptions) {
    this.sessionId = options.sessionId;
    this.#options = options;
  }

  get takesNotices(): boolean {
    return this.#options.clientCapabilities.session?.notices != null;
  }

  update(update: SessionUpdate, meta: Meta | undefined): Promise<void> {
    const { sessionId } = this;
    const params = meta === undefined ? { sessionId, update } : { sessionId, update, _meta: meta };
    return this.#options.conn.notify("session/update", params);
  }

  /** What the client answered; anything but an option that was offered is `cancelled`. */
  async requestPermission(
    toolCall: KnownToolCallFields & { toolCallId: string },
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionOutcome> {
    if (signal.aborted) return CANCELLED;
    const offered = this.#options.compat ? options : options.map(withKnownKind);
    const params = { sessionId: this.sessionId, toolCall, options: offered };
    try {
      const result = await this.#options.conn.request<PermissionRequestResult | null>(
        "session/request_permission",
        params,
        { signal },
      );
      const outcome = result?.outcome;
      const valid =
        outcome?.outcome === "selected" &&
        options.some((option) => option.optionId === outcome.optionId);
      return valid ? outcome : CANCELLED;
    } catch {
      // Aborted, refused or cut off: whoever cannot answer has not allowed anything.
      return CANCELLED;
    }
  }

  /** @throws RpcError -32601 when the client does not offer it, or what the client answers */
  async readTextFile(
    path: string,
    range: { line?: number; limit?: number },
    signal: AbortSignal,
  ): Promise<string> {
    if (!this.#options.clientCapabilities.fs?.readTextFile) throw notOffered("fs/read_text_file");
    const params = { sessionId: this.sessionId, path, ...range };
    const result = await this.#options.conn.request<{ content?: unknown } | null>(
      "fs/read_text_file",
      params,
      { signal },
    );
    return typeof result?.content === "string" ? result.content : "";
  }

  /** @throws RpcError -32601 when the client does not offer it, or what the client answers */
  async writeTextFile(path: string, content: string, signal: AbortSignal): Promise<void> {
    if (!this.#options.clientCapabilities.fs?.writeTextFile) throw notOffered("fs/write_text_file");
    const params = { sessionId: this.sessionId, path, content };
    await this.#options.conn.request("fs/write_text_file", params, { signal });
  }
}

/** ACP has no `allow_persistent`: what is kept for longer is still an `allow_always`. */
function withKnownKind(option: PermissionOption): PermissionOption {
  if (option.kind !== "allow_persistent") return option;
  return { ...option, kind: "allow_always", _meta: { ...option._meta, kind: option.kind } };
}

function notOffered(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `The client does not offer ${method}`);
}
