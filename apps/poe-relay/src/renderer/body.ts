import type { Display, TurnView } from "@acp-kit/router";
import { readBlocks } from "./blocks.ts";
import { renderContent } from "./content.ts";
import { closingLine, type Fence } from "./fence.ts";
import { quote } from "./label.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { isAnswer, renderOutcome } from "./outcome.ts";
import { renderAnswer, renderQuestion } from "./question.ts";
import { renderSpoken } from "./spoken.ts";
import { readStatus, renderFooter } from "./status-line.ts";
import { ToolLines } from "./tool-lines.ts";

/**
 * What stays of a view. Grows at its end only while the view advances: a segment is rendered from itself and from those
 * before it.
 */
export function renderBody(view: TurnView, show: Display): string {
  const page = new Page();
  const tools = new ToolLines(show.toolDetails);
  const blocks = readBlocks(view, show);
  for (const [index, block] of blocks.entries()) {
    const isRunning = view.outcome === undefined && index === blocks.length - 1;
    switch (block.kind) {
      case "text":
        page.addText(renderSpoken(block, view, isRunning));
        break;
      case "thought":
        page.add(renderThought(renderSpoken(block, view, isRunning)));
        break;
      case "tool-start":
        if (show.tools) page.addTool(block.tool.id, tools.start(block.tool));
        break;
      case "tool-end": {
        const { tool } = block;
        if (show.tools) page.addTool(tool.id, tools.end(tool, page.lastTool === tool.id));
        break;
      }
      case "content":
        page.add(renderContent(block.content));
        break;
      case "question":
        page.add(renderQuestion(block.ask));
        break;
      case "answer":
        page.add(renderAnswer(block, view.who));
        break;
      case "notice":
        page.add(renderNotice(block.text, block.level));
        break;
    }
  }
  if (view.outcome !== undefined) {
    page.closeFence();
    const { isEmpty } = page;
    page.add(renderOutcome(view.outcome, view, isEmpty));
    if (!isEmpty && isAnswer(view.outcome)) {
      page.add(renderFooter(readStatus(view, show.plan), view.usage));
    }
  }
  return page.text;
}

/** What the relay says in the middle of an answer. */
export function renderNotice(markdown: string, level: "info" | "warning"): string {
  const sign = level === "info" ? "ℹ️" : "⚠️";
  return quote(`${sign} ${renderMarkdown(markdown).text}`);
}

function renderThought({ text }: Rendered): string {
  return text === "" ? "" : quote(`_Thinking…_\n${text}`);
}

/** Blocks under each other, with an empty line between them. An empty block leaves no trace. */
class Page {
  readonly #pieces: string[] = [];
  /** The last two characters: asking the whole text for them would put it together for each block. */
  #end = "";
  /** A code block that the last block has left open. */
  fence: Fence | undefined;
  /** The tool call that the last block was about. */
  lastTool: string | undefined;

  add(block: string): void {
    if (block === "") return;
    this.closeFence();
    this.#push(this.#gap() + block);
    this.lastTool = undefined;
  }

  /** Tool lines follow each other without an empty line. */
  addTool(id: string, block: string): void {
    if (block === "") return;
    if (this.lastTool === undefined) this.add(block);
    else this.#push(`\n${block}`);
    this.lastTool = id;
  }

  addText({ text, fence }: Rendered): void {
    if (text === "") return;
    this.add(text);
    this.fence = fence;
  }

  /** What stands below an open code block would be read as code. */
  closeFence(): void {
    if (!this.fence) return;
    this.#push((this.#end.endsWith("\n") ? "" : "\n") + closingLine(this.fence));
    this.fence = undefined;
  }

  get text(): string {
    return this.#pieces.join("");
  }

  get isEmpty(): boolean {
    return this.#end === "";
  }

  #push(text: string): void {
    this.#pieces.push(text);
    this.#end = (this.#end + text.slice(-2)).slice(-2);
  }

  #gap(): string {
    if (this.#end === "" || this.#end === "\n\n") return "";
    return this.#end.endsWith("\n") ? "\n" : "\n\n";
  }
}
