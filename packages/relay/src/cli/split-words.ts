/**
 * Splits a command into words as a shell would: blanks separate, single quotes keep everything, double quotes keep all
 * but a backslash before `"`, `\`, `$` or a backquote, and outside of quotes a backslash keeps the next character.
 * Nothing is expanded.
 *
 * @returns `undefined` when a quote is not closed or a backslash is last.
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  /** The word being read; `undefined` between words. `""` is a word that began with a quote. */
  let word: string | undefined;
  /** The quote that is open. */
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === "\\" && quote !== "'") {
      const next = text.charAt(++index);
      if (next === "") return undefined;
      const isEscape = quote === "" || /["\\$`]/.test(next);
      word = (word ?? "") + (isEscape ? next : `\\${next}`);
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
