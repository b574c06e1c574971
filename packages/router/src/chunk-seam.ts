import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import { asFields } from "./fields.ts";

/**
 * Puts characters together again that an agent has cut in two: some cut their text anywhere in UTF-16, and half of an
 * emoji is no character. The first half waits for the next chunk of its kind; nothing else does.
 */
export class ChunkSeam {
  /** First halves, by session and kind of chunk; only of the newest session. */
  #session = "";
  readonly #halves = new Map<string, string>();

  /** The update as it would be, had the agent cut it between characters. */
  join(params: SessionUpdateParams): SessionUpdateParams {
    const update = asFields(params.update);
    const content = asFields(update?.["content"]);
    const kind = update?.["sessionUpdate"];
    if (kind !== "agent_message_chunk" && kind !== "agent_thought_chunk") return params;
    if (typeof content?.["text"] !== "string") return params;
    if (params.sessionId !== this.#session) this.#halves.clear();
    this.#session = params.sessionId;
    const before = this.#halves.get(kind) ?? "";
    this.#halves.delete(kind);
    const text = before + content["text"];
    const half = /[\uD800-\uDBFF]$/.exec(text.slice(-1))?.[0];
    if (half !== undefined) this.#halves.set(kind, half);
    if (before === "" && half === undefined) return params;
    const whole = half === undefined ? text : text.slice(0, -1);
    return { ...params, update: { ...params.update, content: { ...content, text: whole } } };
  }
}
