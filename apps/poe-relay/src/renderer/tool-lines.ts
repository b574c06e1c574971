import { detailText, toolEmoji, toolLabel } from "@acp-kit/relay";
import type { ToolContent, ToolView } from "@acp-kit/router";
import { renderDetail } from "./detail.ts";
import { codeLabel } from "./label.ts";
import { memoized } from "./memoized.ts";

/** The tool lines of one body, in the order in which they are asked for. */
export class ToolLines {
  readonly #details: boolean;
  /** By call: which details stand in the body, and whether its result does. */
  readonly #calls = new Map<string, { shown: Set<string>; ended: boolean }>();

  constructor(details: boolean) {
    this.#details = details;
  }

  /** The line of a call that starts, with the details that it starts with. */
  start(tool: ToolView): string {
    this.#calls.set(tool.id, { shown: new Set(), ended: false });
    const line = `> ${codeLabel(`${toolEmoji(tool.toolKind)} ${toolLabel(tool)}`)}`;
    return [line, ...this.#newDetails(tool)].join("\n");
  }

  /**
   * What a call's end adds: nothing when it went well and has nothing new to show, nor once its result stands.
   *
   * @param adjacent - The call's own line was the last thing written, so that its name need not be said again.
   */
  end(tool: ToolView, adjacent: boolean): string {
    if (!this.#details || this.#calls.get(tool.id)?.ended) return "";
    const details = this.#newDetails(tool);
    const succeeded = tool.status === "completed";
    if (succeeded && details.length === 0) return "";
    this.#call(tool.id).ended = true;
    const mark = succeeded ? "✓" : "✗";
    const head = `> ${codeLabel(adjacent ? mark : `${mark} ${toolLabel(tool)}`)}`;
    return [head, ...details].join("\n");
  }

  #newDetails(tool: ToolView): string[] {
    if (!this.#details) return [];
    const { shown } = this.#call(tool.id);
    return tool.content.flatMap((content) => {
      const detail = detailOf(content);
      if (detail === "" || shown.has(detail)) return [];
      shown.add(detail);
      return [detail];
    });
  }

  #call(id: string): { shown: Set<string>; ended: boolean } {
    const call = this.#calls.get(id) ?? { shown: new Set<string>(), ended: false };
    this.#calls.set(id, call);
    return call;
  }
}

const detailOf = memoized((content: ToolContent) => renderDetail(detailText(content)));
