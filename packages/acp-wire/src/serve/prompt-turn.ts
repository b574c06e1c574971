import type { ContentBlock } from "../types/content.ts";
import type { Meta } from "../types/meta.ts";
import type { PermissionOption, PermissionOutcome } from "../types/permission.ts";
import type { KnownToolCallFields } from "../types/update.ts";
import type { ClientCalls } from "./session-client-calls.ts";
import { type SendUpdate, SessionSink } from "./session-sink.ts";

export interface PromptTurnInit {
  readonly client: ClientCalls;
  readonly send: SendUpdate;
  readonly cwd: string;
  readonly blocks: readonly ContentBlock[];
  readonly promptText: string;
  readonly meta: Meta | undefined;
  readonly signal: AbortSignal;
}

/** One prompt while it is answered: what was asked, where the answer goes, and when to stop. */
export class PromptTurn extends SessionSink {
  readonly cwd: string;
  readonly blocks: readonly ContentBlock[];
  /** The prompt as one text; see `flattenPrompt`. */
  readonly promptText: string;
  /** The prompt's own `_meta`. */
  readonly meta: Meta | undefined;
  /** Aborted when the client cancels the turn, ends the session, or is gone. */
  readonly signal: AbortSignal;
  readonly #client: ClientCalls;

  constructor({ client, send, cwd, blocks, promptText, meta, signal }: PromptTurnInit) {
    super(client.sessionId, send, client.takesNotices);
    this.#client = client;
    this.cwd = cwd;
    this.blocks = blocks;
    this.promptText = promptText;
    this.meta = meta;
    this.signal = signal;
  }

  /** Resolves when the turn is cancelled, at once if it has been: an abort is told only once. */
  get cancelled(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /**
   * Asks whoever sits at the client. `cancelled` when the turn is cancelled meanwhile, or the client
   * gives no answer that was offered: treat it as a no.
   *
   * @param signal - Withdraws the question, for one that has been answered elsewhere.
   */
  requestPermission(
    toolCall: KnownToolCallFields & { toolCallId: string },
    options: readonly PermissionOption[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<PermissionOutcome> {
    const until = signal === undefined ? this.signal : AbortSignal.any([this.signal, signal]);
    return this.#client.requestPermission(toolCall, options, until);
  }

  /**
   * Reads a file through the client, which may have a newer text in an editor.
   *
   * @param range - `line` counts from 1.
   * @throws RpcError -32601 when the client does not offer it
   */
  readTextFile(path: string, range: { line?: number; limit?: number } = {}): Promise<string> {
    return this.#client.readTextFile(path, range, this.signal);
  }

  /** @throws RpcError -32601 when the client does not offer it */
  writeTextFile(path: string, content: string): Promise<void> {
    return this.#client.writeTextFile(path, content, this.signal);
  }
}
