import type { ToolContent, ToolView } from "@acp-kit/router";
import { detailLines, detailText } from "./detail-lines.ts";

/** Some lines of what a tool call shows of itself, at least one; see {@link detailLines}. */
export type Detail = readonly string[];

/** How a call ended, and what it showed at its end. */
export type ToolResult = { readonly succeeded: boolean; readonly details: readonly Detail[] };

/** What is told of the tool calls of one turn, in the order in which it is asked for: nothing twice. */
export class ToolReport {
  readonly #hasDetails: boolean;
  /** By call: which details were told, and whether its result was. */
  readonly #calls = new Map<string, { told: Set<string>; ended: boolean }>();

  constructor(hasDetails: boolean) {
    this.#hasDetails = hasDetails;
  }

  /** What a call starts with. */
  start(tool: ToolView): readonly Detail[] {
    this.#calls.set(tool.id, { told: new Set(), ended: false });
    return this.#newDetails(tool);
  }

  /** What a call's end adds: nothing when it went well and has nothing new to show, nor once its result was told. */
  end(tool: ToolView): ToolResult | undefined {
    if (!this.#hasDetails || this.#calls.get(tool.id)?.ended) return undefined;
    const details = this.#newDetails(tool);
    const succeeded = tool.status === "completed";
    if (succeeded && details.length === 0) return undefined;
    this.#call(tool.id).ended = true;
    return { succeeded, details };
  }

  #newDetails(tool: ToolView): readonly Detail[] {
    if (!this.#hasDetails) return [];
    const { told } = this.#call(tool.id);
    return tool.content.flatMap((content) => {
      const lines = linesOf(content);
      const key = lines.join("\n");
      if (lines.length === 0 || told.has(key)) return [];
      told.add(key);
      return [lines];
    });
  }

  #call(id: string): { told: Set<string>; ended: boolean } {
    const call = this.#calls.get(id) ?? { told: new Set<string>(), ended: false };
    this.#calls.set(id, call);
    return call;
  }
}

// A turn is read by several, and by each again and again.
const known = new WeakMap<ToolContent, Detail>();

function linesOf(content: ToolContent): Detail {
  const lines = known.get(content) ?? detailLines(detailText(content));
  known.set(content, lines);
  return lines;
}
