import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { FeedItem } from "./feed.ts";
import { columnsOf, wrapLines } from "./wrap-lines.ts";

export type ScreenStreams = {
  readonly input: Readable;
  readonly output: Writable & { readonly columns?: number; readonly rows?: number };
  /** Whether somebody sits there, or a script. */
  readonly isTerminal: boolean;
};

/**
 * Where somebody reads and types. What is printed stays; behind it, in a terminal, stand the items that still change,
 * and the line that is being typed.
 */
export class Screen implements Disposable {
  readonly isTerminal: boolean;
  readonly #output: ScreenStreams["output"];
  readonly #lines: Interface;
  #isClosed = false;
  #live: readonly string[] = [];
  /** Rows between the top of what still changes and the line that is typed. */
  #rows = 0;

  constructor(
    { input, output, isTerminal }: ScreenStreams,
    on: {
      readonly line: (line: string) => void;
      /** Ctrl-C, or the end of the input. */
      readonly end: (how: "interrupted" | "ended") => void;
    },
  ) {
    this.isTerminal = isTerminal;
    this.#output = output;
    this.#lines = createInterface({ input, output, terminal: isTerminal });
    this.#lines.on("line", (line) => {
      if (isTerminal) {
        const typed = columnsOf(this.#lines.getPrompt() + line);
        this.#rows += 1 + Math.floor(typed / this.#columns);
        this.#draw([]);
      }
      on.line(line);
    });
    this.#lines.on("SIGINT", () => on.end("interrupted"));
    this.#lines.on("close", () => {
      this.#isClosed = true;
      on.end("ended");
    });
  }

  setPrompt(prompt: string): void {
    this.#lines.setPrompt(prompt);
    if (this.isTerminal) this.#draw([]);
  }

  /** Prints lines for good, and shows the items that still change instead of those before. */
  show(print: readonly string[], live: readonly FeedItem[]): void {
    if (!this.isTerminal) {
      for (const line of print) this.#output.write(`${line}\n`);
      return;
    }
    const room = Math.max(3, (this.#output.rows ?? 24) - 3);
    const lines = wrapLines(
      live.flatMap((item) => item.lines),
      this.#columns - 1,
    ).slice(-room);
    if (print.length === 0 && lines.join("\n") === this.#live.join("\n")) return;
    this.#live = lines;
    this.#draw(print);
  }

  print(...lines: readonly string[]): void {
    if (this.isTerminal) this.#draw(lines);
    else this.show(lines, []);
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }

  get #columns(): number {
    return Math.max(20, this.#output.columns ?? 80);
  }

  #draw(print: readonly string[]): void {
    const cursorRow = this.#lines.getCursorPos().rows;
    const up = this.#rows + cursorRow;
    const whole = [...wrapLines(print, this.#columns - 1), ...this.#live];
    this.#output.write(
      // Readline goes up by the cursor's row before it draws its line.
      `\r${up > 0 ? `\u001b[${up}A` : ""}\u001b[J${whole.map((line) => `${line}\n`).join("")}${"\n".repeat(cursorRow)}`,
    );
    this.#rows = this.#live.length;
    if (!this.#isClosed) this.#lines.prompt(true);
  }
}
