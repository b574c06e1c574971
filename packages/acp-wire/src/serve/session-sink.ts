import type { KnownContentBlock } from "../types/content.ts";
import type { Meta } from "../types/meta.ts";
import type { KnownConfigOption } from "../types/session.ts";
import type {
  AvailableCommand,
  KnownSessionUpdate,
  KnownToolCallFields,
  PlanEntry,
  SessionUpdate,
} from "../types/update.ts";

/** Sends one update of a session; resolves when there is room for more. */
export type SendUpdate = (update: SessionUpdate, meta: Meta | undefined) => Promise<void>;

/** Usage of the context window, in tokens, and what the session has cost so far. */
export interface Usage {
  used: number;
  size: number;
  cost?: { amount: number; currency: string };
}

/**
 * Where a session's updates go. Each call queues one `session/update` before it returns, so they
 * leave in the order of the calls and before the answer of the prompt that they belong to; await
 * one when there are many, and memory stays bounded.
 *
 * `meta` goes beside the update (`params._meta`), which is where a status line belongs.
 */
export class SessionSink {
  readonly sessionId: string;
  readonly #send: SendUpdate;
  readonly #takesNotices: boolean;

  /** @param takesNotices - Whether the client has offered to show notices. */
  constructor(sessionId: string, send: SendUpdate, takesNotices: boolean) {
    this.sessionId = sessionId;
    this.#send = send;
    this.#takesNotices = takesNotices;
  }

  /** Any update, also one that this package does not know. */
  update(update: KnownSessionUpdate | SessionUpdate, meta?: Meta): Promise<void> {
    return this.#send(update, meta);
  }

  /** A piece of the answer. */
  text(text: string, meta?: Meta): Promise<void> {
    return this.#chunk("agent_message_chunk", text, meta);
  }

  /** A piece of reasoning. */
  thought(text: string, meta?: Meta): Promise<void> {
    return this.#chunk("agent_thought_chunk", text, meta);
  }

  /** A piece of the answer that is no text. */
  content(content: KnownContentBlock, meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "agent_message_chunk", content }, meta);
  }

  toolCall(
    call: KnownToolCallFields & { toolCallId: string; title: string },
    meta?: Meta,
  ): Promise<void> {
    return this.update({ sessionUpdate: "tool_call", ...call }, meta);
  }

  /** What has changed of a tool call. */
  toolCallUpdate(change: KnownToolCallFields & { toolCallId: string }, meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "tool_call_update", ...change }, meta);
  }

  /** The whole plan, each time. */
  plan(entries: readonly PlanEntry[], meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "plan", entries: [...entries] }, meta);
  }

  /** The commands that a person may type, all of them. */
  commands(availableCommands: readonly AvailableCommand[], meta?: Meta): Promise<void> {
    const commands = [...availableCommands];
    return this.update(
      { sessionUpdate: "available_commands_update", availableCommands: commands },
      meta,
    );
  }

  /** The agent has changed its mode by itself. */
  mode(currentModeId: string, meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "current_mode_update", currentModeId }, meta);
  }

  /** The agent has changed an option by itself; all options, each time. */
  configOptions(configOptions: readonly KnownConfigOption[], meta?: Meta): Promise<void> {
    const options = [...configOptions];
    return this.update({ sessionUpdate: "config_option_update", configOptions: options }, meta);
  }

  title(title: string, meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "session_info_update", title }, meta);
  }

  usage(usage: Usage, meta?: Meta): Promise<void> {
    return this.update({ sessionUpdate: "usage_update", ...usage }, meta);
  }

  /**
   * Tells something that is not part of the answer. A client that takes no notices gets a warning or
   * an error as text, and nothing of mere information.
   */
  notice(severity: "info" | "warning" | "error", title: string, meta?: Meta): Promise<void> {
    if (this.#takesNotices) return this.update({ sessionUpdate: "notice", severity, title }, meta);
    if (severity === "info") return Promise.resolve();
    return this.text(`\n\n[${severity}] ${title}`, meta);
  }

  /** Only `meta`, such as a status line: an update of the session's info that changes none of it. */
  status(meta: Meta): Promise<void> {
    return this.update({ sessionUpdate: "session_info_update" }, meta);
  }

  #chunk(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string, meta?: Meta) {
    if (text === "" && meta === undefined) return Promise.resolve();
    return this.update({ sessionUpdate, content: { type: "text", text } }, meta);
  }
}
