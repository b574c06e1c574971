/** What the platform takes for a broadcast, a person, a group, a channel or a date, wherever it stands. */
const TOKEN = /<(?=!(?:here|channel|everyone|subteam|date)|@[UW][A-Z0-9]|#[CGD][A-Z0-9])/g;

/** A word joiner: nothing to see, and no token with it. Beside a mark it is a letter, and a line that it begins is no block. */
export const JOINER = "\u2060";

/**
 * A text in which nobody is mentioned and no one's phone rings, whatever the agent wrote; also in code, where the platform
 * looks as well. The last line behind the renderer's own. Does nothing to what is defused already. Pure.
 */
export function defuse(text: string): string {
  return text.replaceAll(TOKEN, `<${JOINER}`);
}

const starts = ["<!here", "<!channel", "<!everyone", "<!subteam", "<!date"];

/** Up to where more text will not make a token of a text's end. Pure. */
export function decidedTo(text: string): number {
  const at = text.lastIndexOf("<");
  if (at < 0) return text.length;
  const end = text.slice(at);
  const isOpen = starts.some((start) => start.startsWith(end)) || /^<[@#][UWCGD]?$/.test(end);
  return isOpen ? at : text.length;
}
