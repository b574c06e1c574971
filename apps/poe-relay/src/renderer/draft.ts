import { isSentenceSeam } from "@acp-kit/relay";
import { type Display, QuestionLine, type Segment, type TurnView } from "@acp-kit/router";
import { continueText, findCarry } from "./carry.ts";
import { renderContent } from "./content.ts";
import { quote } from "./label.ts";
import { type Lines, noLines, type Rendered, renderMarkdown } from "./markdown.ts";
import { renderNotice } from "./notice.ts";
import { addBlock, addText, addTool, EMPTY_PAGE, type Page } from "./page.ts";
import { renderAnswer, renderQuestion } from "./question.ts";
import { ToolLines } from "./tool-lines.ts";

/** What an agent said or thought, as one text whatever unseen came between its pieces. */
export type Spoken = {
  readonly kind: "text" | "thought";
  readonly text: string;
  /** What another message has left open in the middle of this text. */
  readonly carried: string;
};

/** A page, and what is said on it last, which may go on. */
export type Unfinished = { readonly page: Page; readonly spoken: Spoken | undefined };

/**
 * What was made of a view's segments up to one of them, to go on from when the view has more. Each segment is rendered
 * once, and what was rendered stays true: only a text or thought that is last still grows, and is not taken in.
 *
 * A file is sent beside the text and a hidden thought not at all: the text goes on behind them, in the middle of a word
 * if need be. Only where two sentences would be glued together the second one is a block of its own.
 */
export class Draft {
  readonly #turn: string;
  readonly #show: Display;
  readonly #carried: string;
  readonly #imageHosts: readonly string[];
  readonly #questions = new QuestionLine();
  readonly #tools: ToolLines;
  /** Segments that were taken in, and the last of them. */
  #count = 0;
  #last: Segment | undefined;
  #page: Page = EMPTY_PAGE;
  #spoken: Spoken | undefined;
  /** A block has been begun. */
  #hasBegun = false;
  /** Since `#spoken`, the agent has thought. */
  #hasThought = false;
  /** What is known of texts that may go on, newest first. */
  #lines: readonly Lines[] = [];
  #quoted = { source: "", text: "" };
  /** The page with all of `spoken` on it. */
  #closed: { readonly spoken: Spoken; readonly page: Page } | undefined;

  constructor({ turn }: TurnView, show: Display, carried: string, imageHosts: readonly string[]) {
    this.#turn = turn;
    this.#imageHosts = imageHosts;
    this.#show = show;
    this.#carried = carried;
    this.#tools = new ToolLines(show.toolDetails);
  }

  /** Whether the view begins with what was taken in. */
  isOf(view: TurnView, show: Display, carried: string): boolean {
    const { thoughts, tools, toolDetails } = this.#show;
    return (
      view.turn === this.#turn &&
      carried === this.#carried &&
      show.thoughts === thoughts &&
      show.tools === tools &&
      show.toolDetails === toolDetails &&
      this.#count <= settledCount(view) &&
      (this.#count === 0 || view.segments.at(this.#count - 1) === this.#last)
    );
  }

  /** See {@link findCarry}; of what was carried to here, nothing may have been needed yet. */
  carryOf({ spoken }: Unfinished): string | undefined {
    if (!spoken) return this.#hasBegun || this.#carried === "" ? undefined : this.#carried;
    if (spoken.kind !== "text") return undefined;
    const { text, carried } = spoken;
    const source = sourceOf(spoken, true);
    if (source !== "") return findCarry(source, this.renderSpoken(spoken, true).lines);
    return carried !== "" && !text.endsWith("\n") ? carried + text : undefined;
  }

  /** Takes in what does not change any more, and gives what there is, with what still grows. */
  advance(view: TurnView): Unfinished {
    const { segments } = view;
    for (const count = settledCount(view); this.#count < count; this.#count += 1) {
      this.#last = segments.at(this.#count);
      if (!this.#last) continue;
      for (const segment of this.#questions.push(this.#last)) this.#take(segment, view.who);
    }
    const growing = this.#count < segments.length ? segments.at(-1) : undefined;
    const here = { page: this.#page, spoken: this.#spoken };
    if (growing?.kind === "text") return this.#say(growing.text);
    if (growing?.kind === "thought" && this.#show.thoughts) {
      return { page: this.#close(), spoken: this.#begin("thought", growing.text) };
    }
    return here;
  }

  /** @param running - More may be said behind it. */
  render({ page, spoken }: Unfinished, running: boolean): Page {
    if (!spoken) return page;
    const rendered = this.renderSpoken(spoken, running);
    if (spoken.kind === "text") return addText(page, rendered);
    const { text } = rendered;
    return addBlock(page, text === "" ? "" : this.#quote(`_Thinking…_\n${text}`));
  }

  renderSpoken(spoken: Spoken, running: boolean): Rendered {
    const source = sourceOf(spoken, running);
    const known = this.#lines.find((lines) => source.startsWith(lines.source));
    const rendered = renderMarkdown(source, running, known, this.#imageHosts);
    if (rendered.lines !== (known ?? noLines))
      this.#lines = [rendered.lines, ...this.#lines].slice(0, 2);
    return rendered;
  }

  #take(segment: Segment, requester: string | undefined): void {
    switch (segment.kind) {
      case "file":
        return;
      case "thought":
        if (this.#show.thoughts) {
          this.#page = this.#close();
          this.#spoken = this.#begin("thought", segment.text);
          this.#hasBegun = true;
        }
        this.#hasThought = true;
        return;
      case "text": {
        const { page, spoken } = this.#say(segment.text);
        this.#page = page;
        this.#spoken = spoken;
        this.#hasBegun = true;
        this.#hasThought = false;
        return;
      }
      default:
        this.#page = this.#add(this.#close(), segment, requester);
        this.#spoken = undefined;
        this.#hasBegun = true;
        this.#hasThought = false;
    }
  }

  #add(
    page: Page,
    segment: Exclude<Segment, { kind: "file" | "text" | "thought" }>,
    requester: string | undefined,
  ): Page {
    switch (segment.kind) {
      case "tool-start": {
        const { tool } = segment;
        return this.#show.tools ? addTool(page, tool.id, this.#tools.start(tool)) : page;
      }
      case "tool-end": {
        const { tool } = segment;
        if (!this.#show.tools) return page;
        return addTool(page, tool.id, this.#tools.end(tool, page.lastTool === tool.id));
      }
      case "content":
        return addBlock(page, renderContent(segment.content));
      case "question":
        return addBlock(page, renderQuestion(segment.ask));
      case "answer":
        return addBlock(page, renderAnswer(segment, requester));
      case "notice":
        return addBlock(page, renderNotice(segment.text, segment.level));
    }
  }

  #say(text: string): Unfinished {
    const last = this.#spoken;
    if (last?.kind === "text" && !this.#parts(last, text)) {
      return { page: this.#page, spoken: { ...last, text: last.text + text } };
    }
    return { page: this.#close(), spoken: this.#begin("text", text) };
  }

  #begin(kind: Spoken["kind"], text: string): Spoken {
    return { kind, text, carried: this.#hasBegun || kind === "thought" ? "" : this.#carried };
  }

  /** The page with what was said last, which has ended. */
  #close(): Page {
    const spoken = this.#spoken;
    if (!spoken) return this.#page;
    if (this.#closed?.spoken !== spoken) {
      this.#closed = { spoken, page: this.render({ page: this.#page, spoken }, false) };
    }
    return this.#closed.page;
  }

  /** Whether a text that comes behind unseen thoughts begins a block of its own. */
  #parts(last: Spoken, text: string): boolean {
    if (!this.#hasThought || !isSentenceSeam(last.text, text)) return false;
    return this.renderSpoken(last, true).fence === undefined;
  }

  #quote(text: string): string {
    const known = text.startsWith(this.#quoted.source) ? this.#quoted : { source: "", text: "" };
    const end = text.lastIndexOf("\n") + 1;
    if (end <= known.source.length) return known.text + quote(text.slice(known.source.length));
    const lines = `${quote(text.slice(known.source.length, end - 1))}\n`;
    this.#quoted = { source: text.slice(0, end), text: known.text + lines };
    return this.#quoted.text + quote(text.slice(end));
  }
}

/** Segments that do not change any more. */
function settledCount({ segments }: TurnView): number {
  const last = segments.at(-1);
  const grows = last?.kind === "text" || last?.kind === "thought";
  return grows ? segments.length - 1 : segments.length;
}

/** The Markdown of it. Blank lines in front are left out, and blank text leaves nothing. */
function sourceOf({ text, carried }: Spoken, running: boolean): string {
  const whole = carried === "" ? text : continueText(carried, text, running);
  return /\S/.test(whole) ? whole.replace(/^(?:[^\S\n]*\n)+/, "") : "";
}
