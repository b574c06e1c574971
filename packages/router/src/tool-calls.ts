import type { EventBody } from "./events.ts";
import { asFields, asText } from "./fields.ts";
import type { ToolInput } from "./permission.ts";
import { isToolEnded } from "./turn-view.ts";

/** The tool calls of a turn: what updates told about each, for the question that it may ask, and which still run. */
export class ToolCalls {
  readonly #inputs = new Map<string, ToolInput>();
  readonly #open = new Set<string>();

  /** Whether there was any. */
  get any(): boolean {
    return this.#inputs.size > 0;
  }

  get isOneOpen(): boolean {
    return this.#open.size > 0;
  }

  inputOf(id: string): ToolInput | undefined {
    return this.#inputs.get(id);
  }

  /** Keeps what an update of the agent tells about a tool call, if it is about one. */
  note(update: unknown): void {
    const fields = asFields(update);
    const id = asText(fields?.["toolCallId"]);
    if (!fields || id === undefined) return;
    const title = asText(fields["title"]);
    const toolKind = asText(fields["kind"]);
    this.#inputs.set(id, {
      ...this.#inputs.get(id),
      ...(title !== undefined && { title }),
      ...(toolKind !== undefined && { toolKind }),
      ...(fields["rawInput"] !== undefined && { rawInput: fields["rawInput"] }),
    });
    const status = asText(fields["status"]);
    if (status === undefined && fields["sessionUpdate"] !== "tool_call") return;
    if (status !== undefined && isToolEnded(status)) this.#open.delete(id);
    else this.#open.add(id);
  }
}

/** True for what an agent says on behalf of a prompt, as against news about its session. */
export function isWork({ kind }: EventBody): boolean {
  return kind === "text" || kind === "thought" || kind === "tool-start" || kind === "tool-update";
}
