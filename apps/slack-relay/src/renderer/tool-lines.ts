import { type Detail, ToolReport, toolEmoji, toolLabel } from "@acp-kit/relay";
import type { ToolView } from "@acp-kit/router";
import { codeLabel, quote } from "./label.ts";

/** The tool lines of one turn, in the order in which they are asked for. */
export class ToolLines {
  readonly #report: ToolReport;

  constructor(details: boolean) {
    this.#report = new ToolReport(details);
  }

  /** The line of a call that starts, with the details that it starts with. */
  start(tool: ToolView): string {
    const line = `${toolEmoji(tool.toolKind)} ${codeLabel(toolLabel(tool))}`;
    return quote([line, ...this.#report.start(tool).map(renderDetail)].join("\n"));
  }

  /** What a call's end adds, often nothing. @param adjacent - Its own line was the last thing written. */
  end(tool: ToolView, adjacent: boolean): string {
    const result = this.#report.end(tool);
    if (!result) return "";
    const mark = result.succeeded ? "✓" : "✗";
    const line = adjacent ? mark : `${mark} ${codeLabel(toolLabel(tool))}`;
    return quote([line, ...result.details.map(renderDetail)].join("\n"));
  }
}

/** As code, in which nothing is markup. Output that is fenced already keeps the name of its language. */
function renderDetail(lines: Detail): string {
  const fences = lines.flatMap((line, at) => (/^ *(?:`{3}|~{3})/.test(line) ? [at] : []));
  const opening = fences[0] ?? lines.length;
  // Its end may have been left out.
  const isClosed = fences[1] === lines.length - 1;
  const isFenced = fences.length === 1 || (fences.length === 2 && isClosed);
  const info = isFenced ? (/[\w+-]*$/.exec(lines[opening] ?? "")?.[0] ?? "") : "";
  const before = isFenced ? lines.slice(0, opening) : [];
  const code = isFenced ? lines.slice(opening + 1, isClosed ? -1 : undefined) : lines;
  const longest = Math.max(2, ...code.map((line) => /`{3,}/.exec(line)?.[0].length ?? 0));
  const fence = "`".repeat(longest + 1);
  return [...before.map(codeLabel), fence + info, ...code, fence].join("\n");
}
