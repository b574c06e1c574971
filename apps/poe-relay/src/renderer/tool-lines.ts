import { type Detail, ToolReport, toolEmoji, toolLabel } from "@acp-kit/relay";
import type { ToolView } from "@acp-kit/router";
import { renderDetail } from "./detail.ts";
import { codeLabel } from "./label.ts";

/** The tool lines of one body, in the order in which they are asked for. */
export class ToolLines {
  readonly #report: ToolReport;

  constructor(details: boolean) {
    this.#report = new ToolReport(details);
  }

  /** The line of a call that starts, with the details that it starts with. */
  start(tool: ToolView): string {
    const line = `> ${codeLabel(`${toolEmoji(tool.toolKind)} ${toolLabel(tool)}`)}`;
    return withDetails(line, this.#report.start(tool));
  }

  /**
   * What a call's end adds, often nothing.
   *
   * @param adjacent - The call's own line was the last thing written, so that its name need not be said again.
   */
  end(tool: ToolView, adjacent: boolean): string {
    const result = this.#report.end(tool);
    if (!result) return "";
    const mark = result.succeeded ? "✓" : "✗";
    const head = `> ${codeLabel(adjacent ? mark : `${mark} ${toolLabel(tool)}`)}`;
    return withDetails(head, result.details);
  }
}

function withDetails(line: string, details: readonly Detail[]): string {
  return [line, ...details.map(renderDetail)].join("\n");
}
