import { describeContent } from "@acp-kit/relay";
import type { Display, Segment, TurnView } from "@acp-kit/router";
import { defuse, type MarkdownSeam, type SlackPart, seamBehind } from "@acp-kit/slack-surface";
import { renderAnswer } from "./answer.ts";
import { escapeLabel, quote } from "./label.ts";
import { renderNotice } from "./notice.ts";
import { addBlock, addTool, EMPTY_PAGE, type Page } from "./page.ts";
import { beginsAnew, type Known, nothingKnown, renderSpoken, type Spoken } from "./spoken.ts";
import { ToolLines } from "./tool-lines.ts";

/** A turn so far. */
export type Drafted = {
  /** Up to the last one that is a message of its own. */
  readonly parts: readonly SlackPart[];
  /** What stands below that. */
  readonly page: Page;
};

/** What was said last, which may go on, and what is known of it: each rendering begins where the one before ended. */
type Last = Spoken & { readonly memo: { known: Known } };

type State = Drafted & {
  /** It is not on the page yet. */
  readonly last: Last | undefined;
  /** What has come behind it that is not to be seen. */
  readonly unseen: "thought" | "tool" | undefined;
  /** What the text before the page's end has left open. */
  readonly seam: MarkdownSeam | undefined;
};

type Begun = State & { readonly last: Last };

const NOTHING: State = {
  parts: [],
  page: EMPTY_PAGE,
  last: undefined,
  unseen: undefined,
  seam: undefined,
};

/**
 * What was made of a view's segments up to one of them, to go on from when the view has more. Each segment is rendered
 * once, and what was rendered stays true: only a text or thought that is last still grows, and is not taken in.
 *
 * Behind a hidden thought or tool the text goes on, but where the second piece looks like a message of its own. Where
 * something seen comes into the middle of code, the code is closed before it and opened again behind it.
 */
export class Draft {
  readonly #turn: string;
  readonly #show: Display;
  readonly #tools: ToolLines;
  readonly #asked = new Set<string>();
  /** Segments that were taken in, and the last of them. */
  #count = 0;
  #segment: Segment | undefined;
  #state = NOTHING;
  /** Of the state that it was made of. */
  #closed: { readonly of: State; readonly state: State } | undefined;
  #begun: { readonly of: State; readonly state: Begun } | undefined;

  #anew: { readonly of: State; readonly start: string; readonly isAnew: boolean } | undefined;

  constructor({ turn }: TurnView, show: Display) {
    this.#turn = turn;
    this.#show = show;
    this.#tools = new ToolLines(show.toolDetails);
  }

  /** Whether the view begins with what was taken in. */
  isOf(view: TurnView, show: Display): boolean {
    const { thoughts, tools, toolDetails } = this.#show;
    return (
      view.turn === this.#turn &&
      show.thoughts === thoughts &&
      show.tools === tools &&
      show.toolDetails === toolDetails &&
      this.#count <= settledCount(view) &&
      (this.#count === 0 || view.segments.at(this.#count - 1) === this.#segment)
    );
  }

  /** Takes in what does not change any more, and gives what there is, with what still grows. */
  advance(view: TurnView): Drafted {
    const { segments, who } = view;
    for (const count = settledCount(view); this.#count < count; this.#count += 1) {
      this.#segment = segments.at(this.#count);
      if (this.#segment) this.#state = this.#take(this.#state, this.#segment, who);
    }
    const growing = this.#count < segments.length ? segments.at(-1) : undefined;
    const state = growing ? this.#take(this.#state, growing, who) : this.#state;
    if (view.outcome) return this.#close(state);
    return { parts: state.parts, page: withSpoken(state.page, state.last, true).page };
  }

  #take(state: State, segment: Segment, requester: string | undefined): State {
    switch (segment.kind) {
      case "file": {
        const { kind: _, ...file } = segment;
        return this.#part(state, { kind: "file", file });
      }
      case "thought": {
        if (!this.#show.thoughts) return { ...state, unseen: state.unseen ?? "thought" };
        return withText(this.#begin(state, "thought"), segment.text);
      }
      case "text": {
        const { last, unseen } = state;
        if (last?.kind !== "text" || (unseen && this.#isAnew(state, last, segment.text))) {
          return withText(this.#begin(state, "text"), segment.text);
        }
        return withText({ ...state, last }, segment.text);
      }
      case "tool-start": {
        const { tool } = segment;
        if (!this.#show.tools) return { ...state, unseen: "tool" };
        return this.#add(state, this.#tools.start(tool), tool.id);
      }
      case "tool-end": {
        const { tool } = segment;
        if (!this.#show.tools) return { ...state, unseen: "tool" };
        const isAdjacent = !state.last && state.page.lastTool === tool.id;
        return this.#add(state, this.#tools.end(tool, isAdjacent), tool.id);
      }
      case "content":
        return this.#add(state, quote(describeContent(segment.content, escapeLabel)));
      case "notice":
        return this.#add(state, renderNotice(segment.text, segment.level));
      case "question":
        this.#asked.add(segment.ask.id);
        return this.#part(state, { kind: "question", ask: segment.ask });
      case "answer":
        // Where the question is to be seen, its message says how it ended.
        if (this.#asked.has(segment.permission)) return state;
        return this.#add(state, renderAnswer(segment, requester));
    }
  }

  #add(state: State, block: string, tool?: string): State {
    if (block === "") return { ...state, unseen: "tool" };
    const closed = this.#close(state);
    const { page } = closed;
    const safe = defuse(block);
    return {
      ...closed,
      page: tool === undefined ? addBlock(page, safe) : addTool(page, tool, safe),
    };
  }

  /** Asked for each piece of a text that grows, of which the beginning decides. */
  #isAnew(state: State, last: Last, text: string): boolean {
    const start = text.slice(0, 2);
    const known = this.#anew;
    if (known?.of === state && known.start === start) return known.isAnew;
    const isAnew = state.unseen !== undefined && beginsAnew(last.text, start, state.unseen);
    this.#anew = { of: state, start, isAnew };
    return isAnew;
  }

  /** With what is a message of its own. */
  #part(state: State, part: SlackPart): State {
    const closed = this.#close(state);
    return { ...closed, parts: [...partsOf(closed), part], page: EMPTY_PAGE };
  }

  /** With all on the page that was said. */
  #close(state: State): State {
    if (!state.last) return state;
    if (this.#closed?.of === state) return this.#closed.state;
    const { page, text } = withSpoken(state.page, state.last, false);
    const seam = state.last.kind === "text" ? seamBehind(text) : state.seam;
    const closing = state.last.kind === "text" ? (seam?.closing ?? "") : "";
    const closed = {
      parts: state.parts,
      page: closing === "" ? page : { ...page, text: page.text + closing },
      last: undefined,
      unseen: undefined,
      seam,
    };
    this.#closed = { of: state, state: closed };
    return closed;
  }

  /** With nothing said yet of what begins. */
  #begin(state: State, kind: Last["kind"]): Begun {
    if (this.#begun?.of === state && this.#begun.state.last.kind === kind) return this.#begun.state;
    const closed = this.#close(state);
    const isText = kind === "text";
    const last = { kind, text: "", seam: isText ? closed.seam : undefined };
    const begun = {
      ...closed,
      last: { ...last, memo: { known: nothingKnown } },
      seam: isText ? undefined : closed.seam,
    };
    this.#begun = { of: state, state: begun };
    return begun;
  }
}

/** What there is of a turn, as parts. */
export function partsOf({ parts, page }: Drafted): readonly SlackPart[] {
  return page.text === "" ? parts : [...parts, { kind: "text", markdown: page.text }];
}

function withText(state: Begun, text: string): State {
  return { ...state, unseen: undefined, last: { ...state.last, text: state.last.text + text } };
}

function withSpoken(page: Page, last: Last | undefined, running: boolean) {
  if (!last) return { page, text: "" };
  const { text, known } = renderSpoken(last, running, last.memo.known);
  last.memo.known = known;
  return { page: addBlock(page, text), text };
}

/** Segments that do not change any more. */
function settledCount({ segments }: TurnView): number {
  const last = segments.at(-1);
  const grows = last?.kind === "text" || last?.kind === "thought";
  return grows ? segments.length - 1 : segments.length;
}
