import type { Options } from "mdast-util-from-markdown";

type Extension = NonNullable<Options["extensions"]>[number];

/** Signs of markup in one paragraph, heading or cell, beyond which no sign is one: pairing them takes the square of it. */
export const MAX_MARKS = 1_000;
/** Code and tags without an end in one block, each of which is looked for up to the block's end. */
export const MAX_UNENDED = 20;
/** UTF-16 units of a line behind which nothing opens a quote or a list: so many may be open at most. */
export const MAX_CONTAINER_COLUMN = 64;

/** What was met while a text was read. UTF-16 offsets. */
export type Bounds = {
  /** Signs that the first block had before this text began. */
  readonly used: number;
  /** Signs that were read as markup might be, in order. */
  readonly marks: readonly number[];
  /** Signs beyond the bounds: they are letters. */
  readonly plain: ReadonlySet<number>;
};

type Block = { marks: number; unended: number; scan: number | undefined };

/** Where code or a tag may begin of which the end has to be looked for. */
const SCAN = /`|<[a-z/!?]/iy;
/** What opens a container if there is room for it. */
const OPENING = /(?:>|[-+*](?=[ \t\n]|$)|\d{1,9}(?=[.)](?:[ \t\n]|$)))/y;

/** What keeps a reader of Markdown from work beyond its bounds, and what it has met. For one text. */
export function createBounds(source: string, used: number) {
  const marks: number[] = [];
  const plain = new Set<number>();
  const blocks = new WeakMap<object, Block>();
  let closed = 0;

  const markOf = (isTick: boolean): Construct => ({
    previous(code) {
      // The middle of a run of backticks is none.
      return !isTick || code !== BACKTICK || this.events.at(-1)?.[1].type === "characterEscape";
    },
    tokenize(effects, ok, nok) {
      const self = this;
      return (code) => {
        const at = this.now().offset;
        // Nothing but a sign of an image is one with what stands behind it.
        if (code === 33 && source.charAt(at + 1) !== "[") return nok(code);
        const first = this.events[0]?.[1].start.offset ?? at;
        const block = blocks.get(this) ?? {
          marks: first === 0 ? used : 0,
          unended: 0,
          scan: undefined,
        };
        blocks.set(this, block);
        if (block.scan !== undefined && this.events[block.scan]?.[1].type === "data") {
          block.unended += 1;
        }
        block.scan = isAt(SCAN, source, at) ? this.events.length : undefined;
        if (block.marks < MAX_MARKS && block.unended < MAX_UNENDED) {
          block.marks += 1;
          marks.push(at);
          return nok(code);
        }
        block.scan = undefined;
        effects.enter("data");
        return asLetters(code);
      };

      function asLetters(this: void, code: Code): State {
        plain.add(self.now().offset);
        effects.consume(code);
        return more;
      }

      function more(this: void, code: Code): State | undefined {
        // A shorter run of backticks would be another sign.
        if (code === BACKTICK) return asLetters(code);
        effects.exit("data");
        return ok(code);
      }
    },
  });

  const close: Construct = {
    tokenize(_effects, _ok, nok) {
      return (code) => {
        const { column, offset } = this.now();
        if (column > MAX_CONTAINER_COLUMN) {
          this.parser.constructs.disable.null?.push(...containers);
          closed = containers.length;
          if (isAt(OPENING, source, offset)) {
            plain.add(/\d/.test(source.charAt(offset)) ? OPENING.lastIndex : offset);
          }
        }
        return nok(code);
      };
    },
  };
  const open: Construct = {
    add: "after",
    tokenize(_effects, _ok, nok) {
      return (code) => {
        if (closed > 0) this.parser.constructs.disable.null?.splice(-closed);
        closed = 0;
        return nok(code);
      };
    },
  };

  const extension: Extension = {
    text: Object.fromEntries(codesOf("!*<[]_`~").map((code) => [code, markOf(code === BACKTICK)])),
    document: Object.fromEntries(codesOf("*+-0123456789>").map((code) => [code, [close, open]])),
  };
  const bounds: Bounds = { used, marks, plain };
  return { extension, bounds };
}

const BACKTICK = 96;
const containers = ["list", "blockQuote"];

type State = ReturnType<Construct["tokenize"]>;
type Code = Parameters<State>[0];
type Construct = Exclude<NonNullable<NonNullable<Extension["text"]>[0]>, readonly unknown[]>;

function codesOf(letters: string): readonly number[] {
  return Array.from(letters, (letter) => letter.charCodeAt(0));
}

function isAt(pattern: RegExp, source: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}
