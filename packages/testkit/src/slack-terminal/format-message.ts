import type { LiveButton } from "../slack/block-text.ts";
import type { SeenMessage } from "../slack/seen-message.ts";
import { harmlessText } from "./harmless-text.ts";

/** Numbers by which somebody at a terminal names things: each thing keeps the one that it had at first. */
export class Numbers<T> {
  readonly #numbers = new Map<string, number>();
  readonly #things: T[] = [];

  of(key: string, thing: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#things.push(thing);
    this.#numbers.set(key, this.#things.length);
    return this.#things.length;
  }

  find(number: number): T | undefined {
    return this.#things[number - 1];
  }
}

export function buttonKey({ channel, ts, blockId, actionId, value }: LiveButton): string {
  return JSON.stringify([channel, ts, blockId, actionId, value]);
}

/** Lines of a message: `[3] agent: Shall I?`, and `[2 Yes]` for its button number 2. */
export function formatMessage(
  message: SeenMessage,
  number: number,
  numberOf: (button: LiveButton) => number,
  nameOf: (token: string) => string,
): readonly string[] {
  const text = numberButtons(message, numberOf).replace(/<[@#][^>]+>/g, nameOf);
  const [first = "", ...rest] = harmlessText(decodeEntities(text)).trimEnd().split("\n");
  const marks = harmlessText(message.marks.map((mark) => `  ${mark}`).join(""));
  const lines = [
    `[${number}] ${harmlessText(message.author)}: ${first}`,
    ...rest.map((line) => `      ${line}`.trimEnd()),
  ];
  return lines.map((line, at) => (at === lines.length - 1 ? line + marks : line));
}

/** The platform writes these three as entities. */
function decodeEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** A button stands in the text as `[Yes]`, in the order of the message's buttons. */
function numberButtons(
  { text, buttons }: SeenMessage,
  numberOf: (button: LiveButton) => number,
): string {
  let from = 0;
  let numbered = text;
  for (const button of buttons) {
    const at = numbered.indexOf(`[${button.text}]`, from);
    if (at < 0) continue;
    const shown = `[${numberOf(button)} ${button.text}]`;
    numbered = numbered.slice(0, at) + shown + numbered.slice(at + button.text.length + 2);
    from = at + shown.length;
  }
  return numbered;
}
